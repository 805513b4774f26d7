import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { useStable } from '../kit/use-stable.ts';
import { RailContent } from '../shell/rail-slot.tsx';
import { strings } from '../strings.ts';
import { DetailPane } from './detail/detail-pane.tsx';
import { ConfirmForget } from './forget/confirm-forget.tsx';
import { UndoToast } from './forget/undo-toast.tsx';
import { FactDetail } from './lazy-parts.ts';
import { FacetRail } from './list/facet-rail.tsx';
import { FilterSheet } from './list/filter-sheet.tsx';
import { ListPane } from './list/list-pane.tsx';
import type { MemorySearch } from './list/memory-search.ts';
import { useMemoryHotkeys } from './use-memory-hotkeys.ts';
import { type MemoryView, useMemoryView } from './use-memory-view.ts';

/** Search, list and the open fact, side by side. */
export function MemoryPage() {
  const view = useMemoryView();
  const { caller, rows, openKey, open, confirming } = view;
  const input = useRef<HTMLInputElement>(null);
  const [showWhy, setShowWhy] = useState(false);
  const [showFilters, setShowFilters] = useState(false);
  const facets = useFacetRail(view);
  useMemoryHotkeys(view, input, { shown: showWhy, show: setShowWhy });
  useTitle(view.address);
  return (
    <div className="split">
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
              caller={caller}
              onOpen={open}
              onClose={view.close}
              onFilter={view.filterBy}
              onVersion={(version) => view.change({ version }, { replace: true })}
            />
          )
        }
      />
      {showFilters && <FilterSheet onClose={() => setShowFilters(false)}>{facets}</FilterSheet>}
      <UndoToast onUndo={(keys) => open(keys.at(-1))} />
      {confirming && (
        <ConfirmForget
          count={confirming.length}
          caller={caller}
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

/** The filters. They do not depend on what is typed, so that a keystroke does not render them. */
function useFacetRail({ address, change }: MemoryView): ReactNode {
  const choose = useStable(change);
  const { prefix, category, tag, source } = address;
  return useMemo(
    () => <FacetRail search={{ prefix, category, tag, source }} onChoose={choose} />,
    [prefix, category, tag, source, choose],
  );
}
