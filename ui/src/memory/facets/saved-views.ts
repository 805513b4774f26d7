import { useSyncExternalStore } from 'react';
import { type MemorySearch, readMemorySearch } from '../list/memory-search.ts';

/** A search with its filters and order, under a name. */
export interface SavedView {
  name: string;
  search: MemorySearch;
}

const MAX_VIEWS = 30;
const listeners = new Set<() => void>();
const lists = new Map<string, readonly SavedView[]>();
const NONE: readonly SavedView[] = [];

/** Each caller has their own, also if several sign in with one browser. */
const storageKey = (subject: string) => `helmdeck-views:${subject}`;

function read(subject: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(subject)) ?? '[]');
    if (!Array.isArray(stored)) return NONE;
    return stored.flatMap((view) =>
      typeof view?.name === 'string' && typeof view.search === 'object' && view.search !== null
        ? [{ name: view.name as string, search: readMemorySearch(view.search) }]
        : [],
    );
  } catch {
    return NONE; // storage may be blocked, or hold something else
  }
}

function viewsOf(subject: string): readonly SavedView[] {
  const known = lists.get(subject) ?? read(subject);
  lists.set(subject, known);
  return known;
}

function change(subject: string, views: readonly SavedView[]): void {
  lists.set(subject, views);
  try {
    localStorage.setItem(storageKey(subject), JSON.stringify(views));
  } catch {
    // Then they last until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Saves a view; one with the same name is replaced. The open fact is not part of it. */
export function saveView(subject: string, name: string, search: MemorySearch): void {
  const { key: _, mode: __, with: ___, ...kept } = search;
  const others = viewsOf(subject).filter((view) => view.name !== name);
  change(subject, [...others, { name, search: kept }].slice(-MAX_VIEWS));
}

export function removeView(subject: string, name: string): void {
  change(
    subject,
    viewsOf(subject).filter((view) => view.name !== name),
  );
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The views that this caller saved in this browser. */
export const useSavedViews = (subject: string): readonly SavedView[] =>
  useSyncExternalStore(subscribe, () => viewsOf(subject));
