import { type NamespaceKeys, openContent } from '../../memory/crypto/sealed.ts';
import { type EntryContent, isLive, type Kind } from '../../memory/entry.ts';
import { versionRowId } from '../../memory/facts/remember.ts';
import type { Position, Row, RowReads } from '../../memory/store.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { RECALL_KINDS, type RecallKind } from '../index/documents.ts';
import type { Image } from './image.ts';
import { compare } from './reconcile.ts';

const PAGE_ROWS = 200;
const FEWEST_ROWS = 25;
/** A back-end that reads on this thread keeps it that long for a page at most; if longer, the next one is shorter. */
const LONG_READ_MS = 2;
/** The most that storing another value changes: the value before is kept, the oldest let go, the new one put. */
const REPLACEMENT_CHANGES = 3;

export interface LoadParts {
  store: RowReads;
  now: () => number;
  /** Told of the text of a fact that was forgotten while the image had it. */
  onForgotten?: (ns: Uint8Array, text: string) => void;
}

/** What bringing an image up to date met. */
export interface Loaded {
  position: Position;
  changed: number;
  unreadable: number;
}

/**
 * Takes in what changed since `since`; with another epoch, compares everything and reads only what is new. `written` is
 * a row that may be all of it.
 */
export async function catchUp(
  parts: LoadParts,
  keys: NamespaceKeys,
  image: Image,
  since: Position | undefined,
  written?: Uint8Array,
): Promise<Loaded> {
  // The head is read first: what arrives meanwhile is met again the next time, and known by its seq.
  const position = await parts.store.position(keys.ns);
  if (since?.epoch === position.epoch) {
    const isShort = position.seq - since.seq <= REPLACEMENT_CHANGES;
    const loaded =
      written && isShort ? await takeOne(parts, keys, image, { since, position }, written) : undefined;
    if (loaded) return loaded;
    const found = await takeRows(parts, keys, image, { afterSeq: since.seq, untilSeq: position.seq });
    found.changed += await removeBuried(parts, keys, image, since.seq);
    return { position, ...found };
  }
  if (image.documents.length === 0) return { position, ...(await takeRows(parts, keys, image, {})) };
  return { position, ...(await compareAll(parts, keys, image)) };
}

/** Takes in what the image lacks and removes what the store lacks. */
async function compareAll(parts: LoadParts, keys: NamespaceKeys, image: Image) {
  const { lacking, gone } = await compare(parts.store, keys.ns, image);
  const found = { changed: 0, unreadable: 0 };
  for (const range of lacking) {
    const { changed, unreadable } = await takeRows(parts, keys, image, range);
    found.changed += changed;
    found.unreadable += unreadable;
  }
  const nextTurn = createYielder();
  for (const document of gone) {
    // What another row has replaced just now is no longer there.
    if (!image.holds(document)) continue;
    remove(parts, keys, image, document);
    found.changed++;
    await nextTurn();
  }
  return found;
}

/**
 * Takes one row in where nothing else changed: every put and every delete has a place of its own in the order of
 * changes. Saves asking for each kind of row and for what was deleted.
 */
async function takeOne(
  { store, now }: LoadParts,
  keys: NamespaceKeys,
  image: Image,
  { since, position }: { since: Position; position: Position },
  id: Uint8Array,
): Promise<Loaded | undefined> {
  const row = await store.get(keys.ns, id);
  if (row?.seq !== position.seq || !isRecalled(row.kind)) return undefined;
  const content = isLive(row, now()) ? openContent(keys, row) : undefined;
  if (position.seq !== since.seq + 1) {
    // The old value is the first change of its replacement, the new one the last; what is between them belongs to it.
    if (!content || (await seqOfValueBefore(store, keys, content)) !== since.seq + 1) return undefined;
  }
  const found = { changed: 0, unreadable: 0 };
  takeRow(image, row, content, now(), found);
  return { position, ...found };
}

/** Where in the order of changes the value went that a fact had before this one. */
async function seqOfValueBefore(store: RowReads, keys: NamespaceKeys, content: Buffer) {
  const { key, version = 1 } = JSON.parse(content.toString('utf8')) as EntryContent;
  return (await store.get(keys.ns, versionRowId(keys, key, version - 1)))?.seq;
}

const isRecalled = (kind: Kind): kind is RecallKind => (RECALL_KINDS as readonly Kind[]).includes(kind);

interface RowRange {
  afterSeq?: number;
  /** Rows after this one need not be met: in a flood of writes, whoever runs after the last one never arrives. */
  untilSeq?: number;
  kinds?: readonly RecallKind[];
}

async function takeRows(
  { store, now }: LoadParts,
  keys: NamespaceKeys,
  image: Image,
  { afterSeq = 0, untilSeq = Number.POSITIVE_INFINITY, kinds = RECALL_KINDS }: RowRange,
): Promise<{ changed: number; unreadable: number }> {
  const nextTurn = createYielder();
  const found = { changed: 0, unreadable: 0 };
  let limit = PAGE_ROWS;
  for (let lastSeq = afterSeq; ; ) {
    const startMs = performance.now();
    const reading = store.scan(keys.ns, { kinds, afterSeq: lastSeq, limit });
    const tookMs = performance.now() - startMs;
    const page = await reading;
    // First all are opened, then all are read: each kind of work is faster among its like.
    const fresh: Row[] = [];
    const contents: (Buffer | undefined)[] = [];
    for (const row of page) {
      const known = image.find(row.id);
      if (known === undefined || image.documents.seq(known) !== row.seq) {
        fresh.push(row);
        contents.push(isLive(row, now()) ? openContent(keys, row) : undefined);
      }
      const turn = nextTurn();
      if (turn) await turn;
    }
    for (let at = 0; at < fresh.length; at++) {
      takeRow(image, fresh[at]!, contents[at], now(), found);
      const turn = nextTurn();
      if (turn) await turn;
    }
    lastSeq = page.at(-1)?.seq ?? untilSeq;
    if (page.length < limit || lastSeq >= untilSeq) return found;
    limit = tookMs > LONG_READ_MS ? Math.max(FEWEST_ROWS, limit >> 1) : Math.min(PAGE_ROWS, limit << 1);
  }
}

/** Takes in a row that is new to the image, with its content if it is alive and opens. */
function takeRow(
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
  // What it was before is no longer true, even where what it is now cannot be shown.
  const known = image.find(row.id);
  if (known !== undefined) image.remove(known);
}

async function removeBuried(
  parts: LoadParts,
  keys: NamespaceKeys,
  image: Image,
  afterSeq: number,
): Promise<number> {
  const nextTurn = createYielder();
  let removed = 0;
  for (let lastSeq = afterSeq; ; ) {
    const page = await parts.store.tombstones(keys.ns, lastSeq, PAGE_ROWS);
    for (const { id, seq } of page) {
      const document = image.find(id);
      if (document === undefined || image.documents.seq(document) > seq) continue;
      remove(parts, keys, image, document);
      removed++;
      await nextTurn();
    }
    if (page.length < PAGE_ROWS) return removed;
    lastSeq = page.at(-1)!.seq;
  }
}

function remove({ now, onForgotten }: LoadParts, keys: NamespaceKeys, image: Image, document: number): void {
  if (onForgotten && image.documents.isLive(document, now())) {
    onForgotten(keys.ns, image.documents.content(document).value);
  }
  image.remove(document);
}
