/** What a router needs to know about a pack, in words. */
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

/** What metadata may say; the rest of its fields are nobody's business here. */
export const METADATA_FIELDS: readonly (keyof PackMetadata)[] = [...WORD_LISTS, 'typical_use'];

/** What is wrong with metadata, if anything: routing reads those of all packs and pipelines, so one bad one would fail it. */
export function metadataProblem(metadata: Record<string, unknown>): string | undefined {
  for (const name of WORD_LISTS) {
    const list = metadata[name];
    const fine =
      Array.isArray(list) && list.length <= MAX_WORDS && list.every((word) => typeof word === 'string');
    if (list !== undefined && !fine) return `metadata.${name} must be a list of texts, at most ${MAX_WORDS}`;
  }
  const { typical_use: use } = metadata;
  if (use === undefined || (typeof use === 'string' && use.length <= MAX_USE_CHARS)) return undefined;
  return `metadata.typical_use must be a text of at most ${MAX_USE_CHARS} characters`;
}
