import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';

/** The only inputs that are recorded as a caller's habits; all others stay private. */
export const LEARNED_FIELDS = [
  'persona',
  'audience',
  'angle',
  'model',
  'theme',
  'voice',
  'persona_used',
  'kind',
  'format',
  'title',
  'author',
] as const;

const MAX_CHARS = 200;
/** More than any rule of the credential detector examines. */
const SCANNED_CHARS = 8_192;

/** The learnable top-level strings of an input, truncated; values that look like a credential are skipped. */
export function learnInputs(input: unknown): Record<string, string> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  let learned: Record<string, string> | undefined;
  for (const field of LEARNED_FIELDS) {
    const value: unknown = Object.hasOwn(input, field) ? input[field as keyof typeof input] : undefined;
    if (typeof value !== 'string' || value.trim() === '') continue;
    // Scans more than it records: a truncated credential would no longer be detected.
    if (detectCredential(`${field}: ${value.slice(0, SCANNED_CHARS)}`)) continue;
    learned ??= {};
    learned[field] = value.slice(0, MAX_CHARS).toWellFormed();
  }
  return learned;
}
