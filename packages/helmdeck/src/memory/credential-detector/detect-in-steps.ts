import { setImmediate as nextTick } from 'node:timers/promises';
import { type CredentialFinding, detectCredential } from './credential-detector.ts';

/** Takes a few milliseconds to scan. */
const PART_CHARS = 16_384;
/** Longer than the context that any rule considers around a credential. */
const OVERLAP_CHARS = 8_192;

/** `detectCredential` for long texts: scans them in parts and yields to the event loop in between. */
export async function detectCredentialInSteps(text: string): Promise<CredentialFinding | undefined> {
  if (text.length <= PART_CHARS + OVERLAP_CHARS) return detectCredential(text);
  for (let start = 0; start < text.length; start += PART_CHARS) {
    const found = detectCredential(text.slice(start, start + PART_CHARS + OVERLAP_CHARS));
    if (found) return found;
    await nextTick();
  }
  return undefined;
}
