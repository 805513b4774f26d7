import type { Learned } from '../api/routing-api.ts';

const MIN_RUNS = 3;
const MIN_SHARE = 0.6;

/** What was learned, without values that too few runs used to be filled in. */
export function dependable<T extends Learned>(learned: T): T {
  const { common_inputs = {}, evidence = {} } = learned;
  const used = Object.entries(common_inputs).filter(([field]) => {
    const { count = 0, of = 0 } = evidence[field] ?? {};
    return of >= MIN_RUNS && count / of >= MIN_SHARE;
  });
  return { ...learned, common_inputs: Object.fromEntries(used) };
}

export const hasLearned = ({ common_inputs = {} }: Learned) => Object.keys(common_inputs).length > 0;
