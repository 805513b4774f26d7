import { type Freshness, freshnessView } from '../memory/facts/freshness.ts';
import { projectView } from '../memory/facts/read-facts.ts';
import { isoMs, isoSeconds } from '../memory/times.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';
import type { Hit } from './search.ts';

/** The JSON shape of a search hit, the same on every surface. */
export function hitView(freshness: Freshness, { document, score, why, ...hit }: Hit) {
  const snippet = hit.snippet();
  return {
    key: document.key,
    kind: document.kind,
    category: document.category ?? '',
    tags: document.tags ?? [],
    ...projectView(document),
    score,
    snippet: snippet.text,
    highlights: snippet.highlights,
    updated_at: isoMs(document.updatedMs),
    expires_at: isoSeconds(document.expiresMs),
    ...(document.kind === 'fact' ? freshnessView(freshness, document) : {}),
    ...(why ? { why } : {}),
  };
}

/** The keys of the facts among hits. */
export const factKeysOf = (hits: readonly Pick<Hit, 'document'>[]) =>
  hits.flatMap(({ document }) => (document.kind === 'fact' ? [document.key] : []));

/** Views hits one by one and yields to the event loop in between: the snippets of many long texts take time. */
export async function viewHits<T, H extends Hit>(hits: readonly H[], view: (hit: H) => T): Promise<T[]> {
  const yieldIfDue = createYielder();
  const views: T[] = [];
  for (const hit of hits) {
    views.push(view(hit));
    const pause = yieldIfDue();
    if (pause) await pause;
  }
  return views;
}
