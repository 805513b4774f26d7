import { hash } from 'node:crypto';
import { type NamespaceKeys, open, rowId } from '../../memory/crypto/sealed.ts';
import { isLive } from '../../memory/entry.ts';
import { type MemoryParts, putOp } from '../../memory/memory.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import type { Image } from '../image/image.ts';
import { embeddingText } from '../text/entry-text.ts';
import { packVector, quantise, unpackVector } from './quantised.ts';

// Vectors in the store: each is a sealed row, a child of its fact, so that it is deleted with it.

/** The value of a vector row: the model, a digest of the embedded text, the packed vector, and those of the windows of a long text. */
interface VectorRecord {
  model: string;
  of: string;
  vector: string;
  windows?: string[];
}

const PAGE_ROWS = 200;
const digestOf = (text: string) => hash('sha256', text, 'hex').slice(0, 32);

/** Loads vectors stored after `fromSeq` into an image; skips those of another model or of an older text. */
export async function loadVectors(
  { store }: Pick<MemoryParts, 'store'>,
  keys: NamespaceKeys,
  image: Image,
  fromSeq: number,
  model: string,
): Promise<void> {
  const yieldIfDue = createYielder();
  for (let afterSeq = fromSeq; ; ) {
    const page = await store.scan(keys.ns, { kinds: ['vector'], afterSeq, limit: PAGE_ROWS });
    for (const row of page) {
      const document = row.group ? image.find(row.group) : undefined;
      const entry = document === undefined ? undefined : open(keys, row);
      if (entry) addVector(image, document!, JSON.parse(entry.value) as VectorRecord, model);
      await yieldIfDue();
    }
    if (page.length < PAGE_ROWS) return;
    afterSeq = page.at(-1)!.seq;
  }
}

function addVector(image: Image, document: number, record: VectorRecord, model: string): void {
  if (record.model !== model || record.of !== digestOf(embeddingText(image.documents.content(document))))
    return;
  const vector = unpackVector(record.vector);
  const windows = record.windows?.map(unpackVector).filter((window) => window !== undefined);
  if (vector) image.setVector(document, vector, windows);
}

/** Stores a fact's vector as its child; does nothing if the fact no longer exists. */
export async function saveVector(
  { store, now }: Pick<MemoryParts, 'store' | 'now'>,
  keys: NamespaceKeys,
  factId: Buffer,
  embedded: { model: string; text: string; vector: Float32Array; windows?: readonly Float32Array[] },
): Promise<void> {
  const factExists = async () => {
    const fact = await store.get(keys.ns, factId);
    return fact !== undefined && isLive(fact, now());
  };
  if (!(await factExists())) return;
  const id = rowId(keys, 'vector', factId.toString('hex'));
  const { model, text, vector, windows = [] } = embedded;
  const record: VectorRecord = { model, of: digestOf(text), vector: packVector(quantise(vector)) };
  if (windows.length > 0) record.windows = windows.map((window) => packVector(quantise(window)));
  const content = { key: model, value: JSON.stringify(record) };
  const times = { createdMs: now(), updatedMs: now(), expiresMs: null };
  const put = putOp(
    keys,
    { id, kind: 'vector', group: factId, content, ...times },
    await store.get(keys.ns, id),
  );
  await store.apply(keys, [put]);
  // If the fact was forgotten meanwhile, its erasure did not see this row.
  if (!(await factExists())) await store.apply(keys, [{ type: 'delete', id }]);
}
