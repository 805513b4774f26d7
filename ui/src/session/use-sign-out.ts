import { useQueryClient } from '@tanstack/react-query';
import { signOut } from '../api/session-api.ts';
import { forgetQueue } from '../memory/forget/forgetting.ts';
import { SESSION } from '../shell/query-client.ts';

/** Ends the session here in any case, also when the server cannot be told. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    // What was to be forgotten is still to be, and only this person may.
    await forgetQueue.flush(false);
    await signOut().catch(() => undefined);
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
    queryClient.setQueryData(SESSION, null);
  };
}
