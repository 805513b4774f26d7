import { useQuery } from '@tanstack/react-query';
import { verifyAudit } from '../api/privacy-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';

const text = strings.audit;

/** Whether the records are complete and unchanged, and what that means. */
export function ChainCard() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', 'verify'],
    queryFn: ({ signal }) => verifyAudit(signal),
    staleTime: 0,
  });
  const again = () => void refetch();
  if (error) return <ProblemNote error={error} onRetry={again} />;
  const broken = data?.ok === false;
  return (
    <div className={`note ${broken ? 'note-danger' : data ? 'note-accent' : ''}`} role="status">
      <Icon name={broken ? 'warn' : data ? 'check' : 'clock'} />
      <div className="grow">
        {!data && text.verifying}
        {data?.ok && (
          <>
            <b>{text.verified}</b>
            <div>{text.verifiedText(data.records)}</div>
          </>
        )}
        {broken && (
          <>
            <b>{text.broken}</b>
            <div>
              {data.problem} {text.brokenText(data.records)}
            </div>
          </>
        )}
      </div>
      <button type="button" className="btn btn-s" disabled={isFetching} onClick={again}>
        {text.verifyAgain}
      </button>
    </div>
  );
}
