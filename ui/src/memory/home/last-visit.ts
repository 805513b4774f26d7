/** A pause longer than this between two looks at the page makes a new visit. */
const PAUSE_MS = 30 * 60_000;
/** How far the first visit looks back. */
const FIRST_LOOK_MS = 7 * 86_400_000;

interface Visit {
  /** When the previous visit ended. */
  sinceMs: number;
  /** When the page was last seen in this one. */
  seenMs: number;
}

const nameOf = (subject: string) => `helmdeck.visit.${subject}`;

/** Notes that the page is being looked at; returns when the previous visit ended. */
export function noteVisit(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  subject: string,
  nowMs: number,
): number {
  const before = readVisit(storage, subject);
  const isNew = before === undefined || nowMs - before.seenMs > PAUSE_MS;
  const sinceMs = !isNew ? before.sinceMs : (before?.seenMs ?? nowMs - FIRST_LOOK_MS);
  try {
    storage.setItem(nameOf(subject), JSON.stringify({ sinceMs, seenMs: nowMs }));
  } catch {
    // Storage may be full or forbidden; the next visit then looks back further.
  }
  return sinceMs;
}

function readVisit(storage: Pick<Storage, 'getItem'>, subject: string): Visit | undefined {
  try {
    const visit = JSON.parse(storage.getItem(nameOf(subject)) ?? 'null') as Partial<Visit> | null;
    if (typeof visit?.sinceMs !== 'number' || typeof visit.seenMs !== 'number') return undefined;
    return { sinceMs: visit.sinceMs, seenMs: visit.seenMs };
  } catch {
    return undefined;
  }
}
