import type { FactSort } from '../../api/fact-api.ts';
import type { Row } from '../fact-queries.ts';

type Placed = Pick<Row, 'key' | 'created_at' | 'updated_at' | 'expires_at'>;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS: Record<FactSort, (a: Placed, b: Placed) => number> = {
  updated: (a, b) => compare(b.updated_at, a.updated_at),
  created: (a, b) => compare(b.created_at, a.created_at) || compare(a.key, b.key),
  key: (a, b) => compare(a.key, b.key),
  expires: (a, b) => compare(a.expires_at, b.expires_at) || compare(a.key, b.key),
};

/** The index at which a fact would be in a sorted list that does not contain it. */
export function placeOf(fact: Placed, rows: readonly Placed[], sort: FactSort): number {
  const at = rows.findIndex((row) => ORDERS[sort](row, fact) > 0);
  return at < 0 ? rows.length : at;
}
