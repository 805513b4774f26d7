import type { Connection } from './deps.ts';
import { requestJson, withQuery } from './server-request.ts';

const MAX_PAGE_ITEMS = 200;

/** Requests the pages of a list until there are `maxItems`, or no more. */
export async function collectPages<T>(
  connection: Connection,
  path: string,
  query: Record<string, string | number | undefined>,
  field: string,
  maxItems = Number.POSITIVE_INFINITY,
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(MAX_PAGE_ITEMS, maxItems - items.length);
    const page = await requestJson<Record<string, unknown>>(
      connection,
      withQuery(path, { ...query, limit, cursor }),
    );
    items.push(...(page[field] as T[]));
    cursor = page.next_cursor as string | undefined;
  } while (cursor !== undefined && items.length < maxItems);
  return { items, ...(cursor === undefined ? {} : { nextCursor: cursor }) };
}
