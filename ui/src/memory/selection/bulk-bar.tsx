import { useState } from 'react';
import { type FacetQuery, isOwn } from '../../api/fact-api.ts';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { strings } from '../../strings.ts';
import { forgetLabel } from '../forget/forget-label.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { MAX_SELECTED, matchingFacts } from './select-all.ts';
import { useBulk } from './use-bulk.ts';

interface BulkBarProps {
  view: MemoryView;
  /** What is listed, and how many facts that is; undefined until they are counted. */
  query: FacetQuery;
  matching: number | undefined;
}

/** The actions for the selected facts, at the bottom of the list. */
export function BulkBar({ view, query, matching = 0 }: BulkBarProps) {
  const { selection, whose, mayStore, mayForget, actions, rows } = view;
  const keys = [...selection.selected];
  const bulk = useBulk(keys, rows, query);
  const [dialog, setDialog] = useState<'tags' | 'category'>();
  const all = Math.min(matching, MAX_SELECTED);
  const selectAll = async () => selection.set((await matchingFacts(query, whose)).map(({ key }) => key));
  const button = (icon: IconName, label: string, onClick: () => void, className = '') => (
    <button type="button" className={`btn btn-s ${className}`} disabled={bulk.isBusy} onClick={onClick}>
      <Icon name={icon} small />
      {label}
    </button>
  );
  return (
    <section className="bulk-place" aria-label={strings.memory.bulk}>
      <div className="bulk">
        {bulk.problem !== undefined && !dialog && <ProblemNote error={bulk.problem} />}
        <b>{strings.memory.selected(keys.length)}</b>
        {all > keys.length && (
          <button type="button" className="link-btn" onClick={() => void selectAll().catch(() => {})}>
            {strings.bulk.selectAll(all)}
          </button>
        )}
        {mayStore && button('plus', strings.bulk.tags, () => setDialog('tags'))}
        {mayStore && button('file', strings.bulk.category, () => setDialog('category'))}
        {mayStore && button('renew', strings.detail.renew, () => void bulk.renew())}
        {isOwn(whose) && button('down', strings.bulk.export, () => void bulk.exportThem())}
        {mayForget && button('forget', forgetLabel(whose), () => actions.forget(keys), 'btn-danger')}
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={strings.memory.clearSelection}
          onClick={selection.clear}
        >
          <Icon name="close" />
        </button>
      </div>
      {dialog && (
        <BulkDialog kind={dialog} count={keys.length} bulk={bulk} onClose={() => setDialog(undefined)} />
      )}
    </section>
  );
}
