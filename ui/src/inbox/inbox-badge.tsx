import { strings } from '../strings.ts';
import { useDecided } from './deciding.ts';
import { useInboxCount } from './inbox-queries.ts';

/** How many proposals wait, beside the link to the inbox. */
export function InboxBadge() {
  const waiting = useInboxCount() - useDecided().size;
  if (waiting <= 0) return null;
  return (
    <span className="badge num" title={strings.inbox.badge(waiting)}>
      {waiting > 99 ? '99+' : waiting}
      <span className="sr"> {strings.inbox.badge(waiting)}</span>
    </span>
  );
}
