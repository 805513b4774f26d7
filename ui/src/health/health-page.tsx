import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Stats } from '../api/generated/rest.ts';
import { readStats } from '../api/privacy-api.ts';
import { may } from '../api/session-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { UndoToast } from '../memory/forget/undo-toast.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { AuditCard } from './audit-card.tsx';
import { BackupsCard } from './backups-card.tsx';
import { CallersCard } from './callers-card.tsx';
import { EmbeddingsCard } from './embeddings-card.tsx';
import { EraseCard } from './erase-card.tsx';
import { KeyCard } from './key-card.tsx';
import { MoveCard } from './move-card.tsx';
import { QuotaCard } from './quota-card.tsx';
import { StorageCard } from './storage-card.tsx';

const text = strings.health;

export function HealthPage() {
  const session = useSession();
  const caller = useCaller();
  const { stats, error, refetch } = useStats();
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  // Without auth there is only one caller, so there is no list to show.
  const admin = may(session, 'admin') && session.expires_at !== null;
  const subject = caller ?? session.subject;
  return (
    <div className="page">
      <div className="page-in">
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
              <QuotaCard stats={stats} subject={subject} />
              <EmbeddingsCard embeddings={stats.embeddings} />
            </div>
            <div className="g2 even">
              <KeyCard stats={stats} />
              {caller === undefined && <MoveCard mayImport={may(session, 'memory:write')} />}
            </div>
            {may(session, 'admin') && caller === undefined && <BackupsCard keyId={stats.key_id} />}
            {admin && caller === undefined && <CallersCard own={session.caller} />}
            {may(session, 'memory:write') && <EraseCard key={subject} subject={subject} caller={caller} />}
            {admin && caller === undefined && <AuditCard />}
          </>
        )}
      </div>
      <UndoToast />
    </div>
  );
}

const WATCH_MS = 2_000;

/** Loads the stats twice: at once without the check of every row, then with it. Polls while an operation is running. */
function useStats() {
  const caller = useCaller();
  const isUnderWay = (stats: Stats | undefined) =>
    stats && (!stats.rotation.finished || (stats.embeddings?.waiting ?? 0) > 0);
  const quick = useQuery({
    queryKey: [MEMORY, 'stats', caller],
    queryFn: ({ signal }) => readStats({ caller, signal, checkRows: false }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? WATCH_MS : false),
  });
  const checked = useQuery({
    queryKey: [MEMORY, 'stats', caller, 'checked'],
    queryFn: ({ signal }) => readStats({ caller, signal, checkRows: true }),
    enabled: quick.data !== undefined,
  });
  const stats = quick.data && {
    ...quick.data,
    unreadable_rows: checked.data?.unreadable_rows ?? null,
  };
  return { stats, error: quick.error, refetch: quick.refetch };
}

/** Only the warnings that need action. */
function Warnings({ stats }: { stats: Stats }) {
  return (
    <>
      {stats.unreadable_rows !== null && stats.unreadable_rows > 0 && (
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
