import type { FactView } from '../../memory/facts/read-facts.ts';
import { callerName } from '../../memory/namespace.ts';
import type { Identity } from '../http/auth.ts';
import { ENTITIES, metadataOf, tagValue } from './memory-facts.ts';
import { assertOwnUser, invalid } from './requests.ts';

// The filters of mem0's platform: `{ AND: [{ agent_id: 'chef' }, { created_at: { gte: '2026-01-01' } }] }`.

type FilteredFact = Pick<FactView, 'tags' | 'category' | 'created_at' | 'updated_at'>;
type Test<T> = (tested: T) => boolean;

const MAX_DEPTH = 8;
const MAX_CONDITIONS = 200;

/** Whether a memory passes; throws on filters that are not known, and on users other than the caller. */
export function filterOf(identity: Identity, given: unknown): Test<FilteredFact> {
  let conditions = 0;

  function group(filters: unknown, depth: number): Test<FilteredFact> {
    if (typeof filters !== 'object' || filters === null || Array.isArray(filters) || depth > MAX_DEPTH)
      throw invalid(`A filter is an object, in at most ${MAX_DEPTH} levels.`);
    const tests = Object.entries(filters).map(([name, wanted]) => one(name, wanted, depth));
    return (fact) => tests.every((test) => test(fact));
  }

  function one(name: string, wanted: unknown, depth: number): Test<FilteredFact> {
    if (++conditions > MAX_CONDITIONS) throw invalid(`There can be at most ${MAX_CONDITIONS} filters.`);
    if (name === 'AND' || name === 'OR' || name === 'NOT') {
      const tests = [wanted].flat().map((each) => group(each, depth + 1));
      if (name === 'AND') return (fact) => tests.every((test) => test(fact));
      if (name === 'OR') return (fact) => tests.some((test) => test(fact));
      return (fact) => !tests.some((test) => test(fact));
    }
    if (name === 'metadata') {
      const tests = Object.entries(wanted ?? {}).map(([key, value]): Test<FilteredFact> => {
        const test = condition(value);
        return ({ tags }) => test(new Map(metadataOf(tags)).get(key));
      });
      return (fact) => tests.every((test) => test(fact));
    }
    if (name === 'user_id') assertOwnUsers(identity, wanted);
    const read = FIELDS.get(name);
    if (!read)
      throw invalid(`The filters are ${[...FIELDS.keys(), 'metadata', 'AND', 'OR', 'NOT'].join(', ')}.`);
    const test = condition(wanted);
    return (fact) => test(read(fact, identity));
  }

  return group(given ?? {}, 0);
}

type Field = (fact: FilteredFact, identity: Identity) => unknown;

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['user_id', (_, { caller }) => callerName(caller)],
  ...ENTITIES.map((name): [string, Field] => [name, ({ tags }) => tagValue(tags, name)]),
  ['categories', ({ category }) => category],
  ['created_at', ({ created_at }) => created_at],
  ['updated_at', ({ updated_at }) => updated_at],
]);

type Operator = (value: unknown, operand: unknown) => boolean;

const isOneOf: Operator = (value, operand) => [operand].flat().some((each) => isEqual(value, each));

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['eq', (value, operand) => isEqual(value, operand)],
  ['ne', (value, operand) => !isEqual(value, operand)],
  ['in', isOneOf],
  ['nin', (value, operand) => !isOneOf(value, operand)],
  ['gt', (value, operand) => order(value, operand) > 0],
  ['gte', (value, operand) => order(value, operand) >= 0],
  ['lt', (value, operand) => order(value, operand) < 0],
  ['lte', (value, operand) => order(value, operand) <= 0],
  ['contains', (value, operand) => textOf(value).includes(textOf(operand))],
  ['icontains', (value, operand) => textOf(value).toLowerCase().includes(textOf(operand).toLowerCase())],
]);

/** `*` is any value; an object has operators; anything else is compared as it is. */
function condition(wanted: unknown): Test<unknown> {
  if (wanted === '*') return (value) => value !== null && value !== undefined;
  if (Array.isArray(wanted)) return (value) => isOneOf(value, wanted);
  if (typeof wanted !== 'object' || wanted === null) return (value) => isEqual(value, wanted);
  const tests = Object.entries(wanted).map(([name, operand]): Test<unknown> => {
    const holds = OPERATORS.get(name);
    if (!holds) throw invalid(`The operators of filters are ${[...OPERATORS.keys()].join(', ')}.`);
    return (value) => holds(value, operand);
  });
  return (value) => tests.every((test) => test(value));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const isEqual = (value: unknown, operand: unknown) => textOf(value ?? null) === textOf(operand ?? null);

/** Of two numbers or two times; NaN, which is neither, if there is none. */
function order(value: unknown, operand: unknown): number {
  const number = (each: unknown) => (typeof each === 'string' ? Date.parse(each) : each);
  return Number(number(value) ?? Number.NaN) - Number(number(operand) ?? Number.NaN);
}

function assertOwnUsers(identity: Identity, wanted: unknown): void {
  const operands = typeof wanted === 'object' && wanted !== null ? Object.values(wanted) : [wanted];
  for (const name of operands.flat()) if (name !== '*') assertOwnUser(identity, textOf(name));
}
