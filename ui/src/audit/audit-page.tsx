import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { readAudit } from '../api/privacy-api.ts';
import { may } from '../api/session-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { foldReads } from './audit-events.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditTable } from './audit-table.tsx';
import { ChainCard } from './chain-card.tsx';

const text = strings.audit;
const PAGE = 100;

/** The whole access audit, for admins. */
export function AuditPage() {
  const mayRead = may(useSession(), 'admin');
  useEffect(() => {
    document.title = `${strings.nav.audit} · ${strings.product}`;
  }, []);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{strings.nav.audit}</h1>
            <p>{mayRead ? text.lead : text.adminsOnly}</p>
          </div>
        </header>
        {mayRead && (
          <>
            <ChainCard />
            <Records />
          </>
        )}
      </div>
    </div>
  );
}

function Records() {
  const { actor, target, action } = useSearch({ from: '/audit' });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', 'records', actor, target, action],
    queryFn: ({ pageParam, signal }) =>
      readAudit({ actor, target, action, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  });
  const records = data?.pages.flatMap((page) => page.records) ?? [];
  const names = new Set(records.flatMap((record) => [record.actor, record.target ?? record.actor]));
  const filtered = actor !== undefined || target !== undefined || action !== undefined;
  return (
    <>
      <AuditFilters names={[...names].sort()} />
      {error && <ProblemNote error={error} title={text.failed} onRetry={() => void refetch()} />}
      {data && records.length === 0 && <p className="muted">{filtered ? text.noneFits : text.none}</p>}
      {records.length > 0 && (
        <section className="card" aria-label={strings.nav.audit}>
          <AuditTable events={foldReads(records)} unfolds />
        </section>
      )}
      {hasNextPage && (
        <button
          type="button"
          className="btn self-start"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {text.more}
        </button>
      )}
    </>
  );
}
