import type { Token } from '../api/generated/rest.ts';
import { worksAt } from './token-queries.ts';

/** The valid tokens of a client, and when one of them was last used. */
export interface ClientUse {
  tokens: number;
  lastCall: string | undefined;
}

/** Only the caller's own tokens: to an admin the list shows those of others too. */
export function clientUse(
  client: string,
  tokens: readonly Token[],
  caller: string,
  nowMs: number,
): ClientUse {
  const own = tokens.filter(
    (token) => token.client === client && token.subject === caller && worksAt(token, nowMs),
  );
  const calls = own.flatMap(({ last_used_at }) => last_used_at ?? []).sort();
  return { tokens: own.length, lastCall: calls.at(-1) };
}
