import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { useStable } from '../kit/use-stable.ts';
import { useWhose } from '../navigation/navigation.tsx';
import { RailContent } from '../shell/rail-slot.tsx';
import { strings } from '../strings.ts';
import { DetailPane } from './detail/detail-pane.tsx';
import { FilterSheet } from './facets/filter-sheet.tsx';
import { isWaitingFor } from './forget/forgetting.ts';
import { UndoToast } from './forget/undo-toast.tsx';
import { ConfirmForget, FacetRail, FactDetail } from './lazy-parts.ts';
import { ListPane } from './list/list-pane.tsx';
import type { MemorySearch } from './list/memory-search.ts';
import { useMemoryHotkeys } from './use-memory-hotkeys.ts';
import { type MemoryView, useMemoryView } from './use-memory-view.ts';

/** Begins anew for another memory: nothing that was picked, opened or asked in one may be done in the other. */
export function MemoryPage() {
  const { caller, space } = useWhose();
  return <Memory key={JSON.stringify([caller, space])} />;
}

/** Search, list and the open fact, side by side. */
function Memory() {
  const view = useMemoryView();
  const { whose, rows, openKey, open, confirming } = view;
  const input = useRef<HTMLInputElement>(null);
  const [showWhy, setShowWhy] = useState(false);
  const [showFilters, setShowFilters] = useState(false);
  const facets = useFacetRail(view);
  useMemoryHotkeys(view, input, { shown: showWhy, show: setShowWhy });
  useTitle(view.address);
  useKeptFocus(view);
  const isDetailOpen = openKey !== undefined || view.address.mode !== undefined;
  return (
    <div className={`split ${isDetailOpen ? 'with-detail' : ''}`}>
      <RailContent>{facets}</RailContent>
      <ListPane view={view} input={input} onFilters={() => setShowFilters(true)} />
      <DetailPane
        search={view.search}
        open={open}
        close={view.close}
        saved={view.saved}
        fact={
          openKey !== undefined && (
            <FactDetail
              factKey={openKey}
              hit={rows.find(({ key }) => key === openKey)?.hit}
              search={view.search}
              showWhy={showWhy}
              onWhy={() => setShowWhy(!showWhy)}
              actions={view.mayForget ? view.actions : undefined}
              whose={whose}
              onOpen={open}
              onClose={view.close}
              onFilter={view.filterBy}
              onVersion={(version) => view.change({ version }, { replace: true })}
            />
          )
        }
      />
      {showFilters && <FilterSheet onClose={() => setShowFilters(false)}>{facets}</FilterSheet>}
      <UndoToast onUndo={(keys) => isWaitingFor(whose) && open(keys.at(-1))} />
      {confirming && (
        <ConfirmForget
          count={confirming.length}
          whose={whose}
          onYes={() => view.forgetNow(confirming)}
          onNo={() => view.setConfirming(undefined)}
        />
      )}
    </div>
  );
}

/** The title names the open fact, so that tabs, bookmarks and the history can be told apart. */
function useTitle({ key, mode }: MemorySearch): void {
  useEffect(() => {
    const form = mode === undefined ? undefined : strings.memory.forms[mode];
    const parts = [form, key && visibleText(key), strings.memory.title, strings.product];
    document.title = parts.filter(Boolean).join(' · ');
  }, [key, mode]);
}

/** When what had the focus is gone, such as the editor, the list gets it: not the page, where keys would be lost. */
function useKeptFocus({ address: { mode, key }, listbox }: MemoryView): void {
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open decides what is on the page
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body)
      listbox.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [mode, key, listbox]);
}

/** The filters. They follow the search when typing pauses: a keystroke does not render them. */
function useFacetRail({ address, change }: MemoryView): ReactNode {
  const choose = useStable(change);
  const { q, prefix, category, tag, project, source, expiring, since } = address;
  return useMemo(
    () => (
      <FacetRail search={{ q, prefix, category, tag, project, source, expiring, since }} onChoose={choose} />
    ),
    [q, prefix, category, tag, project, source, expiring, since, choose],
  );
}
