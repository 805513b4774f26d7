import {
  type ComponentProps,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Whose } from '../api/fact-api.ts';
import { useStable } from '../kit/use-stable.ts';
import { type HistoryState, type PageLocation, pageLocation } from './location.ts';
import type { AnySearch, PagePath, PageSearch } from './pages.ts';
import { writeQuery } from './query-string.ts';

interface Target<P extends PagePath> {
  /** The page; the current one by default. */
  to?: P;
  /** The search parameters, or how they change. None by default. */
  search?: PageSearch<P> | ((before: PageSearch<P>) => PageSearch<P>);
}

interface NavigateOptions<P extends PagePath> extends Target<P> {
  /** Without a new entry in the history. */
  replace?: boolean;
  state?: HistoryState | ((before: HistoryState) => HistoryState);
}

export function useLocation(): PageLocation {
  return useSyncExternalStore(pageLocation.subscribe, pageLocation.read);
}

/** The search parameters of the page, or with `strict: false` those of any page. */
export function useSearch<P extends PagePath>(options: { from: P }): PageSearch<P>;
export function useSearch(options: { strict: false }): AnySearch;
export function useSearch(): AnySearch {
  return useLocation().search;
}

/** Whose memory is shown: a space only on the page of its facts, another caller, for admins, on every page. */
export function useWhose(): Whose {
  const { pathname, search } = useLocation();
  const { caller, space } = search;
  return useMemo(() => (pathname === '/' ? { caller, space } : { caller }), [pathname, caller, space]);
}

type Navigate<From extends PagePath> = <P extends PagePath = From>(
  options: NavigateOptions<P>,
) => Promise<void>;

/** Opens a page, or changes the search parameters of the current one; `from` names that for the types. */
export function useNavigate<From extends PagePath = PagePath>(_options?: { from: From }): Navigate<From> {
  return useCallback(async ({ replace = false, state = {}, ...target }) => {
    const before = pageLocation.read();
    pageLocation.go(hrefOf(target, before), {
      replace,
      state: typeof state === 'function' ? state(before.state) : state,
    });
  }, []);
}

/**
 * Keeps the user here while `stays` says so of where they go. Returns what they wanted to do, to be answered; nothing
 * while they have not tried to leave.
 */
export function useLeaveGuard(
  stays: (here: PageLocation, next: PageLocation) => boolean,
): { leave(): void; stay(): void } | undefined {
  const [leave, setLeave] = useState<() => void>();
  const current = useStable(stays);
  useEffect(
    () =>
      pageLocation.guardWith((next, go) => {
        if (!current(pageLocation.read(), next)) return true;
        setLeave(() => go);
        return false;
      }),
    [current],
  );
  if (!leave) return undefined;
  const stay = () => setLeave(undefined);
  return {
    stay,
    leave() {
      stay();
      leave();
    },
  };
}

interface LinkProps<P extends PagePath> extends Target<P>, Omit<ComponentProps<'a'>, 'href'> {
  to: P;
}

export function Link<P extends PagePath>({ to, search, onClick, ...rest }: LinkProps<P>) {
  const href = hrefOf({ to, search }, useLocation());
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (elsewhere || event.defaultPrevented) return;
    event.preventDefault();
    pageLocation.go(href, { replace: false, state: {} });
  };
  return <a {...rest} href={href} onClick={follow} />;
}

function hrefOf<P extends PagePath>({ to, search }: Target<P>, before: PageLocation): string {
  const next = typeof search === 'function' ? search(before.search as PageSearch<P>) : search;
  return (to ?? before.pathname) + writeQuery(next ?? {});
}
