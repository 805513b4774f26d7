import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import type { FactActions } from '../detail/fact-detail.tsx';

interface BulkBarProps {
  keys: readonly string[];
  actions: Pick<FactActions, 'renew' | 'forget'>;
  mayRenew: boolean;
  /** Whose facts, if not the user's own. */
  caller: string | undefined;
  onClear(): void;
}

/** The actions for the selected facts, at the bottom of the list. */
export function BulkBar({ keys, actions, mayRenew, caller, onClear }: BulkBarProps) {
  return (
    <section className="bulk-place" aria-label={strings.memory.bulk}>
      <div className="bulk">
        <b>{strings.memory.selected(keys.length)}</b>
        {mayRenew && (
          <button type="button" className="btn btn-s" onClick={() => actions.renew(keys)}>
            <Icon name="renew" small />
            {strings.detail.renew}
          </button>
        )}
        <button type="button" className="btn btn-s btn-danger" onClick={() => actions.forget(keys)}>
          <Icon name="forget" small />
          {caller === undefined ? strings.detail.forget : strings.detail.forgetOf(caller)}
        </button>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={strings.memory.clearSelection}
          onClick={onClear}
        >
          <Icon name="close" />
        </button>
      </div>
    </section>
  );
}
