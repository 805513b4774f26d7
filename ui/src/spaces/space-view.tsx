import { useQuery } from '@tanstack/react-query';
import type { ErasedSpace, OwnProposal, Space } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { listOwnProposals } from '../api/space-api.ts';
import { minuteOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Link } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { EraseSpaceCard } from './erase-space-card.tsx';
import { MembersCard } from './members-card.tsx';
import { SpaceInboxCard } from './space-inbox-card.tsx';
import { SPACES, useMayManage } from './space-queries.ts';
import { SpaceQuotaCard } from './space-quota-card.tsx';

const text = strings.spaces;

interface SpaceViewProps {
  space: Space;
  onErased(erased: ErasedSpace): void;
}

/** One space: how much it holds, who has access, what one proposed, and how to erase it. */
export function SpaceView({ space, onErased }: SpaceViewProps) {
  const mayManage = useMayManage(space);
  const session = useSession();
  const isAdmin = may(session, 'admin');
  const mayDecide =
    (space.role === 'writer' || space.role === 'owner') &&
    may(session, 'memory:review') &&
    may(session, 'spaces:write');
  return (
    <>
      <p className="muted">{space.role === null ? text.asAdmin : text.roleText[space.role]}</p>
      <p className="row wrap">
        <Link to="/" search={{ space: space.slug }} className="btn">
          <Icon name="memory" small /> {text.open}
        </Link>
      </p>
      {isAdmin && (
        <Link to="/audit" search={{ target: `space ${space.slug}` }} className="small">
          {text.audit}
        </Link>
      )}
      {mayDecide && <SpaceInboxCard slug={space.slug} />}
      <MembersCard space={space} mayManage={mayManage} />
      {space.role !== null && <OwnProposalsCard slug={space.slug} />}
      <SpaceQuotaCard space={space} mayChange={isAdmin} />
      {mayManage && <EraseSpaceCard slug={space.slug} onErased={onErased} />}
    </>
  );
}

/** What the person proposed to this space, and what became of it. */
function OwnProposalsCard({ slug }: { slug: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: [SPACES, 'proposals', slug],
    queryFn: () => listOwnProposals(slug),
    staleTime: 0,
  });
  if (error) return <ProblemNote error={error} title={text.proposalsFailed} onRetry={() => void refetch()} />;
  if (!data || data.proposals.length === 0) return null;
  return (
    <section className="card" aria-label={text.proposals}>
      <div className="card-head">
        <h2>{text.proposals}</h2>
      </div>
      <ul className="card-body stack gap-2">
        {data.proposals.map((proposal) => (
          <li key={proposal.id} className="row wrap">
            <span className="mono">{proposal.key}</span>
            <span className="chip">{text.states[proposal.status]}</span>
            <span className="small faint">{lineOf(proposal)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function lineOf({ proposed_at, decided_at, decided_by }: OwnProposal): string {
  if (decided_at === undefined) return text.proposedAt(minuteOf(proposed_at));
  return text.decidedAt(minuteOf(decided_at), decided_by);
}
