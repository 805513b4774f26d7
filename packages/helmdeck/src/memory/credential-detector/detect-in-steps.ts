import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CredentialFinding, detectCredential } from './credential-detector.ts';

/** About two milliseconds of looking. */
const PART_CHARS = 16_384;
/** Longer than what any rule looks at around a credential. */
const OVERLAP_CHARS = 8_192;

/** The same as `detectSecret` for long texts: part by part, with turns for others in between. */
export async function detectSecretInTurns(text: string): Promise<CredentialFinding | undefined> {
  if (text.length <= PART_CHARS + OVERLAP_CHARS) return detectCredential(text);
  for (let start = 0; start < text.length; start += PART_CHARS) {
    const found = detectCredential(text.slice(start, start + PART_CHARS + OVERLAP_CHARS));
    if (found) return found;
    await nextTurn();
  }
  return undefined;
}
