import type { StoreResult } from '../../api/generated/rest.ts';

type Advice = Pick<StoreResult, 'similar' | 'conflicts' | 'echo'>;

/** The advice the server gave when this page stored a fact. It is sent once, so it is kept until the page is closed. */
const byKey = new Map<string, Advice>();

export function saveAdvice(key: string, { similar, conflicts, echo }: Advice): void {
  byKey.set(key, { similar, conflicts, echo });
}

export const adviceFor = (key: string): Advice | undefined => byKey.get(key);
export const dropAdvice = (key: string): void => void byKey.delete(key);
