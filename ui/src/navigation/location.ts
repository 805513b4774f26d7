import { type AnySearch, readSearch } from './pages.ts';
import { readQuery } from './query-string.ts';

/** What a history entry keeps besides its URL. */
export interface HistoryState {
  /** Inputs for the form that opens. They are not in the URL, which may be bookmarked and shared. */
  suggested?: Record<string, unknown>;
  /** Opened over the entry before it; closing goes back to that one. */
  over?: boolean;
}

export interface PageLocation {
  pathname: string;
  search: AnySearch;
  state: HistoryState;
}

/** Whether the user may go on at once. If not, `leave` goes on later. */
export type LeaveGuard = (next: PageLocation, leave: () => void) => boolean;

/** The place of an entry in the history of this tab, so that a refused Back can be taken back. */
interface StoredState extends HistoryState {
  index?: number;
}

let current = readLocation();
let guard: LeaveGuard | undefined;
/** The next `popstate` is our own: it takes a step back, or repeats one that is allowed now. */
let isOwnStep = false;
let index = storedIndex();
const listeners = new Set<() => void>();

function storedIndex(): number {
  return (history.state as StoredState | null)?.index ?? 0;
}

function locationOf(pathname: string, query: string, state: StoredState | null): PageLocation {
  const { index: _, ...kept } = state ?? {};
  return { pathname, search: readSearch(pathname, readQuery(query)), state: kept };
}

function readLocation(): PageLocation {
  return locationOf(window.location.pathname, window.location.search, history.state);
}

function update(): void {
  current = readLocation();
  index = storedIndex();
  for (const listener of listeners) listener();
}

function step(by: number): void {
  isOwnStep = true;
  history.go(by);
}

window.addEventListener('popstate', () => {
  const by = storedIndex() - index;
  if (isOwnStep || by === 0) {
    isOwnStep = false;
    return update();
  }
  if (guard && !guard(readLocation(), () => step(by))) return step(-by);
  update();
});

/** Where the user is: the page, its search parameters, and what the history entry keeps. */
export const pageLocation = {
  read: () => current,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  go(href: string, { replace, state }: { replace: boolean; state: HistoryState }) {
    const here = window.location.pathname + window.location.search;
    const replaces = replace || href === here;
    const leave = () => {
      const stored: StoredState = { ...state, index: replaces ? index : index + 1 };
      history[replaces ? 'replaceState' : 'pushState'](stored, '', href);
      update();
    };
    const { pathname, search } = new URL(href, window.location.origin);
    if (!guard || guard(locationOf(pathname, search, state), leave)) leave();
  },
  /** Asks the guard before the user goes anywhere else; returns how to remove it. */
  guardWith(next: LeaveGuard) {
    guard = next;
    return () => {
      if (guard === next) guard = undefined;
    };
  },
};
