import type { Row, Store } from './store.ts';

const PAGE_ROWS = 500;

/** All rows of a namespace in the order of their changes, after the seq `from`. */
export async function* everyRow(store: Store, ns: Uint8Array, from = 0): AsyncGenerator<Row> {
  let afterSeq = from;
  for (;;) {
    const page = await store.scan(ns, { afterSeq, limit: PAGE_ROWS });
    yield* page;
    if (page.length < PAGE_ROWS) return;
    afterSeq = page.at(-1)!.seq;
  }
}
