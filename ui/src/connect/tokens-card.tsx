import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Token } from '../api/generated/rest.ts';
import { revokeToken } from '../api/token-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { BrowserSessions } from './browser-sessions.tsx';
import { TOKENS, useTokens, worksAt } from './token-queries.ts';
import { TokenTable } from './token-table.tsx';

const text = strings.connect;

export function TokensCard() {
  const { data, error, refetch } = useTokens();
  const { caller } = useSession();
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: TOKENS }),
  });
  const tokens = data?.tokens ?? [];
  const nowMs = Date.now();
  const working = tokens.filter((token) => worksAt(token, nowMs));
  const isSession = (token: Token) => token.client === 'browser' && token.subject === caller;
  const applications = working.filter(({ application }) => application !== undefined);
  const over = tokens.filter((token) => !worksAt(token, nowMs));
  return (
    <>
      {applications.length > 0 && (
        <section className="card">
          <div className="card-head">
            <h2>{text.applications}</h2>
          </div>
          <p className="card-body hint">{text.applicationsHint}</p>
          <TokenTable
            applications
            tokens={applications}
            nowMs={nowMs}
            onRevoke={(jti) => revoke.mutate(jti)}
          />
        </section>
      )}
      <section className="card">
        <div className="card-head">
          <h2>{text.tokens}</h2>
          {data?.next_cursor !== undefined && (
            <span className="small faint">{text.newest(tokens.length)}</span>
          )}
        </div>
        {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
        {revoke.isError && <ProblemNote error={revoke.error} />}
        {data && tokens.length === 0 && <p className="card-body muted">{text.none}</p>}
        <TokenTable
          tokens={working.filter((token) => !isSession(token) && !applications.includes(token))}
          nowMs={nowMs}
          onRevoke={(jti) => revoke.mutate(jti)}
        />
        <BrowserSessions
          sessions={working.filter(isSession)}
          nowMs={nowMs}
          onRevoke={(jti) => revoke.mutate(jti)}
        />
        {over.length > 0 && (
          <details className="card-body">
            <summary className="small muted">{text.more}</summary>
            <TokenTable tokens={over} nowMs={nowMs} />
          </details>
        )}
      </section>
    </>
  );
}
