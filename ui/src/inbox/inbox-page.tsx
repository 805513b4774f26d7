import { useEffect } from 'react';
import { UndoToast } from '../memory/forget/undo-toast.tsx';
import { useLiveEvents } from '../memory/use-live-events.ts';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { DueStack } from './due-stack.tsx';
import { useMayReview } from './inbox-queries.ts';
import { ProposalReview } from './proposal-review.tsx';

const text = strings.inbox;
const TABS = [
  { show: undefined, label: text.tabProposals },
  { show: 'due', label: text.tabDue },
] as const;

/** What a person reviews: what agents propose, and facts that were not confirmed for long. */
export function InboxPage() {
  useLiveEvents();
  const navigate = useNavigate();
  const { show } = useSearch({ from: '/inbox' });
  const mayReview = useMayReview();
  useEffect(() => {
    document.title = `${strings.nav.inbox} · ${strings.product}`;
  }, []);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{strings.nav.inbox}</h1>
            <p>{show === 'due' ? text.dueLead : text.lead}</p>
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in all browsers */}
          <div className="seg" role="group" aria-label={text.tabs}>
            {TABS.map((tab) => (
              <button
                key={tab.label}
                type="button"
                aria-pressed={tab.show === show}
                onClick={() => void navigate({ to: '/inbox', search: tab.show ? { show: tab.show } : {} })}
              >
                {tab.label}
              </button>
            ))}
          </div>
        </header>
        {!mayReview && <p className="note note-warn">{text.noRight}</p>}
        {mayReview && (show === 'due' ? <DueStack /> : <ProposalReview />)}
        <UndoToast />
      </div>
    </div>
  );
}
