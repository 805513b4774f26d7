import type { Image } from '../image/image.ts';
import { eventOf, type TimeRange, timeRangeOf, timeToldIn } from '../text/time-range.ts';
import type { Wordbook } from '../words/wordbook.ts';
import { planQuery } from './query.ts';
import { bestFirst, shortlist } from './rank.ts';

// The time that a query names, and whether a fact is from then: by when it was stored or changed, or by what it says.

export interface TimeOfQuery {
  range: TimeRange;
  includes(document: number): boolean;
}

/** Undefined for a query that names no time. */
export function timeOfQuery(
  text: string,
  image: Image,
  wordbook: Wordbook,
  nowMs: number,
  matches: (document: number) => boolean,
): TimeOfQuery | undefined {
  const range = timeRangeOf(text, nowMs) ?? rangeOfEvent(text, image, wordbook, matches);
  if (!range) return undefined;
  const { documents } = image;
  const isIn = (timeMs: number) => timeMs >= range.fromMs && timeMs < range.untilMs;
  return {
    range,
    includes(document) {
      const storedMs = documents.updatedMs(document);
      if (isIn(storedMs) || isIn(documents.createdMs(document))) return true;
      const told = toldTime(image, document);
      return told !== undefined && told.fromMs < range.untilMs && told.untilMs > range.fromMs;
    },
  };
}

/** Times stand at the beginning of what is told; reading more of a long text would take too long. */
const MAX_READ_CHARS = 500;

const toldTime = ({ documents }: Image, document: number) =>
  timeToldIn(documents.content(document).value.slice(0, MAX_READ_CHARS), documents.updatedMs(document));

/** From this score on a fact is about an event that a query names. */
const MIN_EVENT_SCORE = 0.6;

/** "Before the release": until the date that the best fact about the release gives. */
function rangeOfEvent(
  text: string,
  image: Image,
  wordbook: Wordbook,
  matches: (document: number) => boolean,
): TimeRange | undefined {
  const event = eventOf(text);
  if (!event) return undefined;
  const query = planQuery(event.name, image.index, wordbook);
  if (query.terms.length === 0) return undefined;
  const found = shortlist(query, image.index, image.documents, image.scratch, { size: 10, matches });
  for (const { document } of bestFirst(found, 10, image.documents).filter(
    ({ score }) => score >= MIN_EVENT_SCORE,
  )) {
    const told = toldTime(image, document);
    if (told && event.isBefore) return { fromMs: Number.NEGATIVE_INFINITY, untilMs: told.fromMs };
    if (told) return { fromMs: told.untilMs, untilMs: Number.POSITIVE_INFINITY };
  }
  return undefined;
}
