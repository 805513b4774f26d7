import { type AnySearch, readSearch } from './pages.ts';
import { readQuery } from './query-string.ts';

/** What a history entry keeps besides its URL. */
export interface HistoryState {
  /** Inputs for the form that opens. They are not in the URL, which may be bookmarked and shared. */
  suggested?: Record<string, unknown>;
}

export interface PageLocation {
  pathname: string;
  search: AnySearch;
  state: HistoryState;
}

let current = readLocation();
const listeners = new Set<() => void>();

function readLocation(): PageLocation {
  const { pathname, search } = window.location;
  return {
    pathname,
    search: readSearch(pathname, readQuery(search)),
    state: (history.state as HistoryState | null) ?? {},
  };
}

function update(): void {
  current = readLocation();
  for (const listener of listeners) listener();
}

window.addEventListener('popstate', update);

/** Where the user is: the page, its search parameters, and what the history entry keeps. */
export const pageLocation = {
  read: () => current,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  go(href: string, { replace, state }: { replace: boolean; state: HistoryState }) {
    const here = window.location.pathname + window.location.search;
    history[replace || href === here ? 'replaceState' : 'pushState'](state, '', href);
    update();
  },
};
