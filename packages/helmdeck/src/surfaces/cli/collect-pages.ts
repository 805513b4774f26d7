import type { Inputs, JsonOperationName } from '../../client/call-operation.ts';
import type { Operations } from '../../client/generated/rest.ts';
import type { Connection } from './deps.ts';
import { callServer } from './server-request.ts';

const MAX_PAGE_ITEMS = 200;

/** The operations that answer a list by page. */
type PagedOperation = {
  [O in JsonOperationName]: Operations[O] extends {
    query?: { limit?: number; cursor?: string };
    response: { next_cursor?: string };
  }
    ? O
    : never;
}[JsonOperationName];

/** The fields of a page that are lists. */
type ListField<O extends PagedOperation> = {
  [F in keyof Operations[O]['response']]-?: Operations[O]['response'][F] extends readonly unknown[]
    ? F
    : never;
}[keyof Operations[O]['response']];

type Item<O extends PagedOperation, F extends ListField<O>> = Operations[O]['response'][F] extends (infer T)[]
  ? T
  : never;

/** Requests the pages of a list until there are `maxItems`, or no more. */
export async function collectPages<O extends PagedOperation, F extends ListField<O>>(
  connection: Connection,
  operation: O,
  inputs: Inputs<O>,
  field: F,
  maxItems = Number.POSITIVE_INFINITY,
): Promise<{ items: Item<O, F>[]; nextCursor?: string }> {
  const items: Item<O, F>[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(MAX_PAGE_ITEMS, maxItems - items.length);
    const { query } = inputs as { query?: object };
    const page: Operations[O]['response'] = await callServer(connection, operation, {
      ...inputs,
      query: { ...query, limit, cursor },
    });
    items.push(...(page[field] as Item<O, F>[]));
    cursor = (page as { next_cursor?: string }).next_cursor;
  } while (cursor !== undefined && items.length < maxItems);
  return { items, ...(cursor === undefined ? {} : { nextCursor: cursor }) };
}
