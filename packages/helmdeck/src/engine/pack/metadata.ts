/** What routing knows about a pack or pipeline besides its name and description. */
export interface PackMetadata {
  accepts?: readonly string[];
  produces?: readonly string[];
  intent_keywords?: readonly string[];
  typical_use?: string;
  limitations?: readonly string[];
  supersedes?: readonly string[];
}

const WORD_LISTS = ['accepts', 'produces', 'intent_keywords', 'limitations', 'supersedes'] as const;
const MAX_WORDS = 64;
const MAX_USE_CHARS = 4_000;

/** All fields that metadata may have. */
export const METADATA_FIELDS: readonly (keyof PackMetadata)[] = [...WORD_LISTS, 'typical_use'];

/** What is wrong with metadata, if anything. Routing reads the metadata of everything, so one bad entry would break it. */
export function metadataProblem(metadata: Record<string, unknown>): string | undefined {
  for (const name of WORD_LISTS) {
    const list = metadata[name];
    const isValid =
      Array.isArray(list) && list.length <= MAX_WORDS && list.every((word) => typeof word === 'string');
    if (list !== undefined && !isValid)
      return `metadata.${name} must be a list of at most ${MAX_WORDS} strings`;
  }
  const { typical_use: use } = metadata;
  if (use === undefined || (typeof use === 'string' && use.length <= MAX_USE_CHARS)) return undefined;
  return `metadata.typical_use must be a string of at most ${MAX_USE_CHARS} characters`;
}
