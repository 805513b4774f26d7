import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readStats, type Stats } from '../api/privacy-api.ts';
import { may } from '../api/session-api.ts';
import { Icon } from '../frame/icon.tsx';
import { ProblemNote } from '../frame/problem-note.tsx';
import { ThemeSwitch } from '../frame/theme-switch.tsx';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { strings } from '../strings.ts';
import { CallersCard } from './callers-card.tsx';
import { EraseCard } from './erase-card.tsx';
import { KeyCard } from './key-card.tsx';
import { MoveCard } from './move-card.tsx';
import { QuotaCard } from './quota-card.tsx';
import { StorageCard } from './storage-card.tsx';

const text = strings.health;

export function HealthPage() {
  const session = useSession();
  const caller = useCaller();
  const {
    data: stats,
    error,
    refetch,
  } = useQuery({
    queryKey: [MEMORY, 'stats', caller],
    queryFn: ({ signal }) => readStats({ caller, signal }),
  });
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  const own = caller === undefined && may(session, 'memory:write');
  return (
    <div className="page">
      <div className="page-in">
        <PhoneAccount />
        <header className="page-head">
          <div>
            <h1>{text.title}</h1>
            <p>{text.lead}</p>
          </div>
          {stats && (
            <span className="chip chip-accent chip-tall">
              <span className="dot dot-ok" />
              {text.ready}
            </span>
          )}
        </header>
        {error && <ProblemNote error={error} title={text.notReady} onRetry={() => void refetch()} />}
        {stats && (
          <>
            <Warnings stats={stats} />
            <div className="g3">
              <StorageCard stats={stats} />
              <QuotaCard stats={stats} subject={caller ?? session.subject} />
              <KeyCard stats={stats} />
            </div>
            {own && <MoveCard />}
            {may(session, 'admin') && session.expires_at !== null && <CallersCard own={session.subject} />}
            {own && <EraseCard subject={session.subject} />}
          </>
        )}
      </div>
    </div>
  );
}

/** On a phone the rail is tabs only, so what else it holds is here. */
function PhoneAccount() {
  const session = useSession();
  const leave = useSignOut();
  return (
    <div className="only-phone row">
      <span className="grow cut faint">{session.subject}</span>
      <ThemeSwitch />
      {session.expires_at !== null && (
        <button type="button" className="btn btn-s" onClick={() => void leave()}>
          {strings.signOut}
        </button>
      )}
    </div>
  );
}

/** Only what a person has to do something about. */
function Warnings({ stats }: { stats: Stats }) {
  return (
    <>
      {stats.unreadable_rows > 0 && (
        <div className="note note-warn">
          <Icon name="warn" />
          <div className="grow">
            <b>{text.unreadable(stats.unreadable_rows)}</b> {text.unreadableText}
          </div>
        </div>
      )}
      {stats.key_ephemeral && (
        <div className="note note-warn">
          <Icon name="warn" />
          <div className="grow">
            <b>{text.ephemeral}</b> {text.ephemeralText}
          </div>
        </div>
      )}
    </>
  );
}
