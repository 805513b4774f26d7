import { useSyncExternalStore } from 'react';
import { createDraftStore, type SavedDraft } from './draft-store.ts';

/** The drafts of this tab. `sessionStorage` outlives a reload and ends with the tab. */
export const drafts = createDraftStore(tabStorage(), Date.now);

function tabStorage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    // Storage is blocked.
    return undefined;
  }
}

const signOuts = new BroadcastChannel('helmdeck-sign-out');
signOuts.onmessage = () => drafts.clear();

/** Deletes the drafts here and in the other tabs: who signs out may hand the machine to someone else. */
export function clearDraftsInAllTabs(): void {
  drafts.clear();
  signOuts.postMessage('');
}

export const useDraft = <T>(name: string): SavedDraft<T> | undefined =>
  useSyncExternalStore(drafts.subscribe, () => drafts.read<T>(name));
