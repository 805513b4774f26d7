import { useMutation, useQueryClient } from '@tanstack/react-query';
import { revokeToken, type Token } from '../api/token-api.ts';
import { dayOf, exactly } from '../frame/dates.ts';
import { ProblemNote } from '../frame/problem-note.tsx';
import { nameOfSource } from '../memory/source-name.ts';
import { shortAge } from '../memory/time-left.ts';
import { strings } from '../strings.ts';
import { TOKENS, useTokens } from './token-queries.ts';

const text = strings.connect;

export function TokensCard() {
  const { data, error, refetch } = useTokens();
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: TOKENS }),
  });
  const tokens = data?.tokens ?? [];
  const nowMs = Date.now();
  const works = (token: Token) => token.revoked_at === null && Date.parse(token.expires_at) > nowMs;
  const over = tokens.filter((token) => !works(token));
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.tokens}</h2>
      </div>
      {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
      {revoke.isError && <ProblemNote error={revoke.error} />}
      {data && tokens.length === 0 && <p className="card-body muted">{text.none}</p>}
      <TokenTable tokens={tokens.filter(works)} nowMs={nowMs} onRevoke={(jti) => revoke.mutate(jti)} />
      {over.length > 0 && (
        <details className="card-body">
          <summary className="small muted">{text.more}</summary>
          <TokenTable tokens={over} nowMs={nowMs} />
        </details>
      )}
    </section>
  );
}

interface TokenTableProps {
  tokens: Token[];
  nowMs: number;
  onRevoke?(jti: string): void;
}

function TokenTable({ tokens, nowMs, onRevoke }: TokenTableProps) {
  if (tokens.length === 0) return null;
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col" className="hide-s">
            {text.rights}
          </th>
          <th scope="col">{text.lastUsed}</th>
          <th scope="col" className="hide-s">
            {text.expires}
          </th>
          <th scope="col">
            <span className="sr">{text.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.jti}>
            <td className="cut">
              <span className="font-medium">{nameOf(token)}</span>{' '}
              {token.name !== undefined && token.client !== undefined && (
                <span className="faint">{nameOfSource(token.client)}</span>
              )}
            </td>
            <td className="hide-s">
              <span className="row wrap gap-1">
                {token.scopes.map((scope) => (
                  <span key={scope} className="chip">
                    {scope}
                  </span>
                ))}
              </span>
            </td>
            <td
              className="nowrap"
              title={token.last_used_at === null ? undefined : exactly(token.last_used_at)}
            >
              {token.last_used_at === null ? text.neverUsed : shortAge(token.last_used_at, nowMs)}
            </td>
            <td className="hide-s nowrap" title={exactly(token.expires_at)}>
              {dayOf(token.expires_at)}
            </td>
            <td className="r">
              {onRevoke ? (
                <button
                  type="button"
                  className="btn btn-s btn-danger"
                  aria-label={text.revokeOne(nameOf(token))}
                  onClick={() => onRevoke(token.jti)}
                >
                  {text.revoke}
                </button>
              ) : (
                <span className="faint">{token.revoked_at === null ? text.expired : text.revoked}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const nameOf = (token: Token) =>
  token.name ?? (token.client === undefined ? text.unnamed : nameOfSource(token.client));
