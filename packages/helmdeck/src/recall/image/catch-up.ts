import { type NamespaceKeys, openContent } from '../../memory/crypto/sealed.ts';
import { type EntryContent, isLive, type Kind } from '../../memory/entry.ts';
import { versionRowId } from '../../memory/facts/versions/version-rows.ts';
import type { Position, Row, RowReads } from '../../memory/store.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { RECALL_KINDS, type RecallKind } from '../index/documents.ts';
import type { Image } from './image.ts';
import { reconcile } from './reconcile.ts';

// Brings an image up to date with the store: fills an empty one, applies what changed, or reconciles all rows.

const PAGE_ROWS = 200;
const MIN_PAGE_ROWS = 25;
/** A back-end that reads on this thread may block it this long per page; after a longer read the next page is smaller. */
const LONG_READ_MS = 2;
/** The most changes one store makes: put the old value as a version, delete the oldest version, put the new value. */
const REPLACEMENT_CHANGES = 3;
const LAST_SEQ = Number.MAX_SAFE_INTEGER - 1;

export interface CatchUpParts {
  store: RowReads;
  now: () => number;
  /** Called with the text of a fact that was deleted from the image. */
  onForgotten?: (ns: Uint8Array, text: string) => void;
}

/** The position an image was brought to, with counts of changed and unreadable rows. */
export interface CatchUpResult {
  position: Position;
  changed: number;
  unreadable: number;
}

/**
 * Applies the changes after `since`; in a new epoch it reconciles all rows and reads only new ones. `written` is the id
 * of a row that is probably the only change.
 */
export async function catchUp(
  parts: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  since: Position | undefined,
  written?: Uint8Array,
): Promise<CatchUpResult> {
  // The position is read first: rows written during the scan are read again next time and recognised by their seq.
  const position = await parts.store.position(keys.ns);
  if (since?.epoch === position.epoch) {
    const isShort = position.seq - since.seq <= REPLACEMENT_CHANGES;
    const loaded =
      written && isShort ? await applyOne(parts, keys, image, { since, position }, written) : undefined;
    if (loaded) return loaded;
    const found = await applyRows(parts, keys, image, { afterSeq: since.seq, untilSeq: position.seq });
    found.changed += await removeDeleted(parts, keys, image, since.seq);
    return { position, ...found };
  }
  if (image.documents.length === 0) return { position, ...(await applyRows(parts, keys, image, {})) };
  return { position, ...(await reconcileAll(parts, keys, image)) };
}

/** Fills an empty image with the rows of each span that `nextSpan` returns. */
export async function readSpans(
  parts: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  nextSpan: () => Required<Pick<RowRange, 'afterSeq' | 'untilSeq'>> | undefined,
): Promise<{ changed: number; unreadable: number }> {
  const total = { changed: 0, unreadable: 0 };
  for (let span = nextSpan(); span; span = nextSpan()) {
    const { changed, unreadable } = await applyRows(parts, keys, image, span);
    total.changed += changed;
    total.unreadable += unreadable;
  }
  return total;
}

/** Adds the rows that the image lacks and removes the documents that the store lacks. */
async function reconcileAll(parts: CatchUpParts, keys: NamespaceKeys, image: Image) {
  const { lacking, gone } = await reconcile(parts.store, keys.ns, image);
  const found = { changed: 0, unreadable: 0 };
  for (const range of lacking) {
    const { changed, unreadable } = await applyRows(parts, keys, image, range);
    found.changed += changed;
    found.unreadable += unreadable;
  }
  const yieldIfDue = createYielder();
  for (const document of gone) {
    // It may have been replaced by one of the rows added just now.
    if (!image.holds(document)) continue;
    remove(parts, keys, image, document);
    found.changed++;
    await yieldIfDue();
  }
  return found;
}

/**
 * Fast path for a single changed row: each put and delete has its own seq, so the distance shows that nothing else
 * changed. Saves a scan per kind and one of the tombstones.
 */
async function applyOne(
  { store, now }: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  { since, position }: { since: Position; position: Position },
  id: Uint8Array,
): Promise<CatchUpResult | undefined> {
  const row = await store.get(keys.ns, id);
  if (row?.seq !== position.seq || !isRecalled(row.kind)) return undefined;
  const content = isLive(row, now()) ? openContent(keys, row) : undefined;
  if (position.seq !== since.seq + 1) {
    // Replacing a value puts the old one first and the new one last, so every seq in between belongs to it.
    if (!content || (await seqOfValueBefore(store, keys, content)) !== since.seq + 1) return undefined;
  }
  const found = { changed: 0, unreadable: 0 };
  applyRow(image, row, content, now(), found);
  return { position, ...found };
}

/** The seq at which the previous value of a fact was put as a version. */
async function seqOfValueBefore(store: RowReads, keys: NamespaceKeys, content: Buffer) {
  const { key, version = 1 } = JSON.parse(content.toString('utf8')) as EntryContent;
  return (await store.get(keys.ns, versionRowId(keys, key, version - 1)))?.seq;
}

const isRecalled = (kind: Kind): kind is RecallKind => (RECALL_KINDS as readonly Kind[]).includes(kind);

interface RowRange {
  afterSeq?: number;
  /** Stops here: in a burst of writes, a scan up to the newest row would never end. */
  untilSeq?: number;
  kinds?: readonly RecallKind[];
}

async function applyRows(
  { store, now }: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  { afterSeq = 0, untilSeq = LAST_SEQ, kinds = RECALL_KINDS }: RowRange,
): Promise<{ changed: number; unreadable: number }> {
  const yieldIfDue = createYielder();
  const found = { changed: 0, unreadable: 0 };
  let limit = PAGE_ROWS;
  for (let lastSeq = afterSeq; ; ) {
    const startMs = performance.now();
    const reading = store.scan(keys.ns, { kinds, afterSeq: lastSeq, beforeSeq: untilSeq + 1, limit });
    const tookMs = performance.now() - startMs;
    const page = await reading;
    // Decrypts all rows of the page, then indexes them: each loop is faster by itself.
    const changedRows: Row[] = [];
    const contents: (Buffer | undefined)[] = [];
    for (const row of page) {
      const known = image.find(row.id);
      if (known === undefined || image.documents.seq(known) !== row.seq) {
        changedRows.push(row);
        contents.push(isLive(row, now()) ? openContent(keys, row) : undefined);
      }
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    for (let at = 0; at < changedRows.length; at++) {
      applyRow(image, changedRows[at]!, contents[at], now(), found);
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    if (page.length < limit) return found;
    lastSeq = page.at(-1)!.seq;
    limit = tookMs > LONG_READ_MS ? Math.max(MIN_PAGE_ROWS, limit >> 1) : Math.min(PAGE_ROWS, limit << 1);
  }
}

/** Applies a changed row; `content` is absent if the row expired or does not open. */
function applyRow(
  image: Image,
  row: Row,
  content: Buffer | undefined,
  nowMs: number,
  found: { changed: number; unreadable: number },
): void {
  found.changed++;
  if (content) {
    image.put(row as Row & { kind: RecallKind }, content);
    return;
  }
  if (isLive(row, nowMs)) found.unreadable++;
  // The old version is outdated even if the new one cannot be read.
  const known = image.find(row.id);
  if (known !== undefined) image.remove(known);
}

async function removeDeleted(
  parts: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  afterSeq: number,
): Promise<number> {
  const yieldIfDue = createYielder();
  let removed = 0;
  for (let lastSeq = afterSeq; ; ) {
    const page = await parts.store.tombstones(keys.ns, lastSeq, PAGE_ROWS);
    for (const { id, seq } of page) {
      const document = image.find(id);
      if (document === undefined || image.documents.seq(document) > seq) continue;
      remove(parts, keys, image, document);
      removed++;
      await yieldIfDue();
    }
    if (page.length < PAGE_ROWS) return removed;
    lastSeq = page.at(-1)!.seq;
  }
}

function remove(
  { now, onForgotten }: CatchUpParts,
  keys: NamespaceKeys,
  image: Image,
  document: number,
): void {
  if (onForgotten && image.documents.isLive(document, now())) {
    onForgotten(keys.ns, image.documents.content(document).value);
  }
  image.remove(document);
}
