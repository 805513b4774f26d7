import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { ApiError } from '../api/call-api.ts';
import type { Session } from '../api/generated/rest.ts';
import { readSession } from '../api/session-api.ts';
import { drafts } from '../kit/drafts.ts';
import { lazyPart } from '../kit/lazy-part.tsx';
import { Router } from '../router.tsx';
import { ConnectionBanner } from '../shell/connection-banner.tsx';
import { SESSION } from '../shell/query-client.ts';
import { replaceFirstFrame } from './first-frame.ts';
import { SessionContext } from './session-context.ts';

const InvitationPage = lazyPart(
  () => import('./invitation-page.tsx'),
  ({ InvitationPage }) => InvitationPage,
);
const SignInPage = lazyPart(
  () => import('./sign-in-page.tsx'),
  ({ SignInPage }) => SignInPage,
);

/** Shows the pages to a signed-in user, and the sign-in page otherwise. */
export function SessionGate() {
  const wasSignedIn = useRef(false);
  const { data: session, isPending } = useQuery<Session | null>({
    queryKey: SESSION,
    queryFn: () => readSession().catch(signedOutIfRefused),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useLayoutEffect(() => {
    if (!isPending) replaceFirstFrame(Boolean(session));
  }, [isPending, session]);
  if (isPending) return null;
  if (location.pathname === '/invitation') {
    return (
      <>
        <ConnectionBanner />
        <InvitationPage />
      </>
    );
  }
  if (!session) {
    return (
      <>
        <ConnectionBanner />
        <SignInPage ended={wasSignedIn.current} />
      </>
    );
  }
  wasSignedIn.current = true;
  drafts.ownedBy(session.caller);
  return (
    <SessionContext value={session}>
      <Router />
    </SessionContext>
  );
}

function signedOutIfRefused(thrown: unknown): null {
  if (thrown instanceof ApiError && thrown.status === 401) return null;
  throw thrown;
}
