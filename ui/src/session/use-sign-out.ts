import { useQueryClient } from '@tanstack/react-query';
import { signOut } from '../api/session-api.ts';
import { clearDraftsInAllTabs, drafts } from '../kit/drafts.ts';
import { forgetQueue } from '../memory/forget/forgetting.ts';
import { SESSION } from '../shell/query-client.ts';
import { strings } from '../strings.ts';

/** Ends the session in the browser, even if the server cannot be reached. Unsaved text is deleted with it, so it asks. */
export function useSignOut(): (which?: 'this' | 'all') => Promise<void> {
  const queryClient = useQueryClient();
  return async (which = 'this') => {
    if (!drafts.isEmpty() && !confirm(strings.signOutUnsaved)) return;
    // Pending forgets are sent first: only this user may send them.
    await forgetQueue.flush(false);
    await signOut(which).catch(() => undefined);
    clearDraftsInAllTabs();
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
    queryClient.setQueryData(SESSION, null);
  };
}
