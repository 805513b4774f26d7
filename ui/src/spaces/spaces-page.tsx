import { useEffect, useState } from 'react';
import type { ErasedSpace } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { ReceiptView } from '../health/receipt-view.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link, useNavigate, useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { NewSpaceCard } from './new-space-card.tsx';
import { useSpaces } from './space-queries.ts';
import { SpaceView } from './space-view.tsx';
import { SpacesTable } from './spaces-table.tsx';

const text = strings.spaces;

/** The spaces that people share, and one of them with its members. */
export function SpacesPage() {
  const { space: slug } = useSearch({ from: '/spaces' });
  useEffect(() => {
    document.title = `${slug ?? strings.nav.spaces} · ${strings.product}`;
  }, [slug]);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            {slug !== undefined && (
              <Link to="/spaces" className="small">
                {text.all}
              </Link>
            )}
            <h1>{slug ?? strings.nav.spaces}</h1>
            <p>{slug === undefined ? text.lead : text.spaceLead}</p>
          </div>
        </header>
        <Spaces slug={slug} />
      </div>
    </div>
  );
}

function Spaces({ slug }: { slug: string | undefined }) {
  const isAdmin = may(useSession(), 'admin');
  const navigate = useNavigate();
  const { data, error, refetch } = useSpaces(isAdmin);
  const [erased, setErased] = useState<ErasedSpace>();
  if (error && !data) return <ProblemNote error={error} title={text.failed} onRetry={() => void refetch()} />;
  if (!data) return null;
  const open = data.spaces.find((space) => space.slug === slug);
  if (open)
    return (
      <SpaceView
        key={open.id}
        space={open}
        onErased={(answer) => {
          setErased(answer);
          void navigate({ to: '/spaces', replace: true });
        }}
      />
    );
  return (
    <>
      {slug !== undefined && (
        <p className="note" role="status">
          {text.unknown}
        </p>
      )}
      {erased && (
        <section className="card" role="status">
          <div className="card-body stack gap-3">
            <p>{text.erased(erased.slug, erased.id)}</p>
            <ReceiptView receipt={erased.receipt} />
          </div>
        </section>
      )}
      {isAdmin && <NewSpaceCard />}
      <section className="card" aria-label={strings.nav.spaces}>
        {data.spaces.length === 0 ? (
          <p className="card-body muted">{isAdmin ? text.noneYet : text.none}</p>
        ) : (
          <SpacesTable spaces={data.spaces} />
        )}
      </section>
    </>
  );
}
