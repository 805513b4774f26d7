import type { Source } from '../../api/generated/rest.ts';
import { useTokens } from '../../connect/token-queries.ts';
import { strings } from '../../strings.ts';
import { nameOfSource, sourceName } from '../list/source-name.ts';

/** `Claude Code on laptop`: the client, and the name of the token it used. */
export function useSourceName(): (source: Source) => string {
  const tokens = useTokens().data?.tokens ?? [];
  return (source) => {
    const client = sourceName(source);
    const token = tokens.find(({ jti }) => jti === source.token_id)?.name;
    // Tokens are often named after their client: that would say it twice.
    if (token === undefined || nameOfSource(token) === client || token === source.client) return client;
    return strings.detail.on(client, nameOfSource(token));
  };
}
