import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';

/** The only inputs worth remembering as somebody's habit; everything else is nobody's business. */
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
/** Longer than what any rule looks at around a credential. */
const LOOKED_AT_CHARS = 8_192;

/** Top-level texts of these names, cut, without anything that looks like a credential. */
export function learnInputs(input: unknown): Record<string, string> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  let learned: Record<string, string> | undefined;
  for (const field of LEARNED_FIELDS) {
    const value: unknown = Object.hasOwn(input, field) ? input[field as keyof typeof input] : undefined;
    if (typeof value !== 'string' || value.trim() === '') continue;
    // More is looked at than is kept: half a credential is no longer recognised, and still half a credential.
    if (detectCredential(`${field}: ${value.slice(0, LOOKED_AT_CHARS)}`)) continue;
    learned ??= {};
    learned[field] = value.slice(0, MAX_CHARS).toWellFormed();
  }
  return learned;
}
