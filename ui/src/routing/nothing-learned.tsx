import { Icon } from '../kit/icon.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

const text = strings.routing;

/** The empty state of the routing page. */
export function NothingLearned() {
  const caller = useCaller();
  return (
    <div className="empty">
      <Icon name="routing" className="art-icon" />
      <h2>{text.emptyTitle}</h2>
      <p>{text.emptyText}</p>
      {caller === undefined && (
        <Link to="/packs" className="btn btn-primary mt-2">
          {text.emptyRun}
        </Link>
      )}
    </div>
  );
}
