import { isoMs, isoSeconds } from '../memory/facts/remember.ts';
import type { Hit } from './search.ts';

/** The JSON shape of a search hit, the same on every surface. */
export function hitView({ document, score, why, ...hit }: Hit) {
  const snippet = hit.snippet();
  return {
    key: document.key,
    kind: document.kind,
    category: document.category ?? '',
    tags: document.tags ?? [],
    score,
    snippet: snippet.text,
    highlights: snippet.highlights,
    updated_at: isoMs(document.updatedMs),
    expires_at: isoSeconds(document.expiresMs),
    ...(why ? { why } : {}),
  };
}
