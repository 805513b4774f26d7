import { hash } from 'node:crypto';
import { type NamespaceKeys, open, rowId } from '../../memory/crypto/sealed.ts';
import { isLive } from '../../memory/entry.ts';
import { type MemoryParts, putOp } from '../../memory/memory.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import type { Image } from '../image/image.ts';
import { meaningOf } from '../text/chunk.ts';
import { packVector, quantise, unpackVector } from './quantised.ts';

/** What a vector row holds: which model made it, and of which text. */
interface VectorRecord {
  model: string;
  of: string;
  vector: string;
}

const PAGE_ROWS = 200;
const digestOf = (text: string) => hash('sha256', text, 'hex').slice(0, 32);

/** The vectors of an image's facts that were kept since `afterSeq`, made by this model of the text as it is now. */
export async function takeVectors(
  { store }: Pick<MemoryParts, 'store'>,
  keys: NamespaceKeys,
  image: Image,
  fromSeq: number,
  model: string,
): Promise<void> {
  const nextTurn = createYielder();
  for (let afterSeq = fromSeq; ; ) {
    const page = await store.scan(keys.ns, { kinds: ['vector'], afterSeq, limit: PAGE_ROWS });
    for (const row of page) {
      const document = row.group ? image.find(row.group) : undefined;
      const entry = document === undefined ? undefined : open(keys, row);
      if (entry) takeVector(image, document!, JSON.parse(entry.value) as VectorRecord, model);
      await nextTurn();
    }
    if (page.length < PAGE_ROWS) return;
    afterSeq = page.at(-1)!.seq;
  }
}

function takeVector(image: Image, document: number, record: VectorRecord, model: string): void {
  if (record.model !== model || record.of !== digestOf(meaningOf(image.documents.content(document)))) return;
  const vector = unpackVector(record.vector);
  if (vector) image.setVector(document, vector);
}

/** Keeps a fact's vector as its child, so that it goes with the fact. Does nothing when the fact is gone. */
export async function keepVector(
  { store, now }: Pick<MemoryParts, 'store' | 'now'>,
  keys: NamespaceKeys,
  factId: Buffer,
  made: { model: string; text: string; vector: Float32Array },
): Promise<void> {
  const isThere = async () => {
    const fact = await store.get(keys.ns, factId);
    return fact !== undefined && isLive(fact, now());
  };
  if (!(await isThere())) return;
  const id = rowId(keys, 'vector', factId.toString('hex'));
  const { model, text, vector } = made;
  const record: VectorRecord = { model, of: digestOf(text), vector: packVector(quantise(vector)) };
  const content = { key: model, value: JSON.stringify(record) };
  const times = { createdMs: now(), updatedMs: now(), expiresMs: null };
  const put = putOp(
    keys,
    { id, kind: 'vector', group: factId, content, ...times },
    await store.get(keys.ns, id),
  );
  await store.apply(keys, [put]);
  // Forgotten while the vector was on its way: then nobody took it along.
  if (!(await isThere())) await store.apply(keys, [{ type: 'delete', id }]);
}
