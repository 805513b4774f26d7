import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '../api/generated/rest.ts';
import { endOtherSessions } from '../api/session-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { TOKENS } from './token-queries.ts';
import { TokenTable } from './token-table.tsx';

const text = strings.connect;

interface BrowserSessionsProps {
  sessions: Token[];
  nowMs: number;
  onRevoke(jti: string): void;
}

/** Every sign-in is a token for 12 hours; together they take one row. */
export function BrowserSessions({ sessions, nowMs, onRevoke }: BrowserSessionsProps) {
  const { jti } = useSession();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: TOKENS }),
    onSettled: () => setAsking(false),
  });
  if (sessions.length === 0) return null;
  const hasThis = sessions.some((session) => session.jti === jti);
  return (
    <div className="sessions">
      <details>
        <summary>
          {text.sessions(sessions.length)}
          {hasThis && <span className="faint"> · {text.thisOne}</span>}
        </summary>
        <p className="hint">{text.sessionsHint}</p>
        <TokenTable tokens={sessions} nowMs={nowMs} onRevoke={onRevoke} />
      </details>
      {sessions.length > (hasThis ? 1 : 0) && (
        <button
          type="button"
          className={`btn btn-s nowrap ${asking ? 'btn-danger-solid' : 'btn-ghost'}`}
          disabled={end.isPending}
          onBlur={() => setAsking(false)}
          onClick={() => (asking ? end.mutate() : setAsking(true))}
        >
          {asking ? text.endOthersSurely : text.endOthers}
        </button>
      )}
      {end.isError && <ProblemNote error={end.error} />}
    </div>
  );
}
