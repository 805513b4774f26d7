import type { Item, MatchCondition } from '@langchain/langgraph-checkpoint';

/** The comparisons of a filter such as `{ score: { $gte: 3 } }`. */
const COMPARISONS: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => isEqual(value, operand),
  $ne: (value, operand) => !isEqual(value, operand),
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  // Not in LangGraph's interface, but in its stores for databases.
  $in: (value, operand) => isOneOf(value, operand),
  $nin: (value, operand) => !isOneOf(value, operand),
  $exists: (value, operand) => (value !== undefined) === operand,
};

export function matchesFilter(value: Item['value'], filter: Record<string, unknown> = {}): boolean {
  return Object.entries(filter).every(([field, wanted]) =>
    comparisonsOf(wanted).every(([operator, operand]) => {
      const compare = COMPARISONS[operator];
      if (!compare) throw new Error(`The filter operator ${operator} is not supported.`);
      return compare(value[field], operand);
    }),
  );
}

/** A value that is not an object of operators is compared as it is. */
function comparisonsOf(wanted: unknown): [string, unknown][] {
  const fields = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
  const hasOperators = fields.length > 0 && fields.every(([name]) => name.startsWith('$'));
  return hasOperators ? fields : [['$eq', wanted]];
}

const isOneOf = (value: unknown, list: unknown) =>
  Array.isArray(list) && list.some((each) => isEqual(value, each));

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Whether a namespace begins or ends with the path of a condition, in which `*` is any label. */
export function matchesCondition(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}
