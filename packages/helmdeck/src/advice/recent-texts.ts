import { createTextDigest, fold, MAX_FOLDED_CHARS } from '../recall/text/folded-text.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';

/** Recognises texts that a caller recently recalled or forgot, by digests only. */
export interface RecentTexts {
  noteRecalled(ns: Uint8Array, texts: Iterable<string>): void;
  noteForgotten(ns: Uint8Array, texts: Iterable<string>): void;
  /**
   * Whether the caller recently recalled or forgot this text, or a longer sentence inside it. What an update keeps of
   * `current`, the value that it replaces, is no echo.
   */
  isEcho(ns: Uint8Array, text: string, current?: string): boolean;
}

const ECHO_MS = 15 * 60_000;
const MAX_PER_NAMESPACE = 2_000;
const MAX_TOTAL_TEXTS = 200_000;
/** A shorter sentence may be there by chance ("It works."), so it counts only as the whole text. */
const MIN_INNER_CHARS = 40;
const MAX_SENTENCES = 16;
/** How many lead-ins such as "The user said: " are stripped. */
const MAX_LEAD_INS = 3;
const SENTENCE_END = /[.!?;:]\s+|\n+/g;

export function createRecentTexts(now: () => number): RecentTexts {
  const digest = createTextDigest();
  // Insertion order is age, in the map of namespaces (by last use) as in each namespace.
  const namespaces = new Map<string, Map<number, number>>();
  let total = 0;

  const dropOldest = (digests: Map<number, number>) => {
    const oldest = digests.keys().next();
    if (!oldest.done && digests.delete(oldest.value)) total--;
  };

  const evictOverLimit = () => {
    while (total > MAX_TOTAL_TEXTS) {
      const [name, digests] = namespaces.entries().next().value!;
      dropOldest(digests);
      if (digests.size === 0) namespaces.delete(name);
    }
  };

  const note = (ns: Uint8Array, texts: Iterable<string>) => {
    const name = namespaceMapKey(ns);
    const digests = namespaces.get(name) ?? new Map<number, number>();
    namespaces.delete(name);
    namespaces.set(name, digests);
    const untilMs = now() + ECHO_MS;
    for (const text of texts) {
      const id = digest.of(text);
      if (id === undefined) continue;
      if (!digests.delete(id)) total++;
      digests.set(id, untilMs);
      if (digests.size > MAX_PER_NAMESPACE) dropOldest(digests);
    }
    if (digests.size === 0) namespaces.delete(name);
    evictOverLimit();
  };

  const isEcho = (ns: Uint8Array, text: string, current?: string) => {
    const name = namespaceMapKey(ns);
    const digests = namespaces.get(name);
    if (!digests) return false;
    const nowMs = now();
    for (const [id, untilMs] of digests) {
      if (nowMs < untilMs) break;
      digests.delete(id);
      total--;
    }
    if (digests.size === 0) namespaces.delete(name);
    const kept = current === undefined ? [] : readingsOf(current);
    return readingsOf(text).some((folded) => digests.has(digest.ofFolded(folded)) && !kept.includes(folded));
  };

  return { noteRecalled: note, noteForgotten: note, isEcho };
}

/** The whole text, its longer sentences, and what follows each lead-in, all folded. */
function readingsOf(text: string): string[] {
  const whole = fold(text);
  const readings = whole === '' ? [] : [whole];
  if (text.length < MIN_INNER_CHARS || text.length > MAX_FOLDED_CHARS) return readings;
  const add = (part: string) => {
    if (part.length < MIN_INNER_CHARS) return;
    const folded = fold(part);
    if (folded.length >= MIN_INNER_CHARS) readings.push(folded);
  };
  let from = 0;
  let count = 0;
  for (const { 0: end, index } of text.matchAll(SENTENCE_END)) {
    add(text.slice(from, index));
    from = index + end.length;
    count++;
    if (count <= MAX_LEAD_INS) add(text.slice(from));
    if (count >= MAX_SENTENCES) return readings;
  }
  if (count > MAX_LEAD_INS) add(text.slice(from));
  return readings;
}
