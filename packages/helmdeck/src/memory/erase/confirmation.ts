import type { Facets } from '../facts/overview.ts';
import type { Scope } from './forget.ts';

/** Up to this many facts of a category, a tag or a prefix are forgotten without a confirmation. */
export const MAX_UNCONFIRMED_FACTS = 20;

/** Whether forgetting a scope needs the confirmation of a person, decided in one place for every surface that asks. */
export interface Confirmation {
  needed: boolean;
  /** How many facts the scope names. */
  facts: number;
}

/** `facetsOf` counts the facts under a key prefix. Scopes that name one fact, or no facts at all, need no confirmation. */
export async function forgetConfirmation(
  scope: Scope,
  facetsOf: (prefix: string) => Promise<Pick<Facets, 'categories' | 'tags'>>,
): Promise<Confirmation> {
  switch (scope.type) {
    case 'all':
    case 'facts':
    case 'erase':
      return { needed: true, facts: total(await facetsOf('')) };
    case 'prefix':
      return ifMany(total(await facetsOf(scope.name)));
    case 'category':
      return ifMany(countOf((await facetsOf('')).categories, scope.name));
    case 'tag':
      return ifMany(countOf((await facetsOf('')).tags, scope.name));
    default:
      return { needed: false, facts: 0 };
  }
}

const ifMany = (facts: number): Confirmation => ({ needed: facts > MAX_UNCONFIRMED_FACTS, facts });

/** Every fact has exactly one category. */
const total = ({ categories }: Pick<Facets, 'categories'>) =>
  categories.reduce((sum, { count }) => sum + count, 0);

const countOf = (counts: Facets['tags'], wanted: string) =>
  counts.find(({ name }) => name === wanted)?.count ?? 0;
