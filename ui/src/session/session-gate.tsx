import { useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useRef } from 'react';
import { ApiError } from '../api/call-api.ts';
import type { Session } from '../api/generated/rest.ts';
import { readSession } from '../api/session-api.ts';
import { drafts } from '../kit/drafts.ts';
import { router } from '../router.tsx';
import { ConnectionBanner } from '../shell/connection-banner.tsx';
import { SESSION } from '../shell/query-client.ts';
import { SessionContext } from './session-context.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Shows the pages to a signed-in user, and the sign-in page otherwise. */
export function SessionGate() {
  const wasSignedIn = useRef(false);
  const { data: session, isPending } = useQuery<Session | null>({
    queryKey: SESSION,
    queryFn: () => readSession().catch(signedOutIfRefused),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPending) return null;
  if (!session) {
    return (
      <>
        <ConnectionBanner />
        <SignInPage ended={wasSignedIn.current} />
      </>
    );
  }
  wasSignedIn.current = true;
  drafts.ownedBy(session.subject);
  return (
    <SessionContext value={session}>
      <RouterProvider router={router} />
    </SessionContext>
  );
}

function signedOutIfRefused(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status === 401) return null;
  throw thrown;
}
