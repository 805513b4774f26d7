import type { StoreResult } from '../../api/generated/rest.ts';

type Advice = Pick<StoreResult, 'similar' | 'conflicts' | 'echo'>;

/** What the server said when a fact was stored from this page; it says so once, so it is kept while the page lives. */
const byKey = new Map<string, Advice>();

export function keepAdvice(key: string, { similar, conflicts, echo }: Advice): void {
  byKey.set(key, { similar, conflicts, echo });
}

export const adviceOn = (key: string): Advice | undefined => byKey.get(key);
export const dropAdvice = (key: string): void => void byKey.delete(key);
