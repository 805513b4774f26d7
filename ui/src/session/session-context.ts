import { createContext, use } from 'react';
import type { Session } from '../api/generated/rest.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the signed-in user; only for components inside the session gate. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('only inside the session gate');
  return session;
}
