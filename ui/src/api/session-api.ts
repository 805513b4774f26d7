import { callApi } from './call-api.ts';
import type { Scope, Session } from './generated/rest.ts';

// The browser session: sign in, sign out, and what it may do.

export const readSession = () => callApi('GET /api/v1/auth/session', {});

export const signInWithPassword = (username: string, password: string) =>
  callApi('POST /api/v1/auth/session', { body: { username, password } });

/** The server puts the token into an HttpOnly cookie; the page keeps no copy. */
export const signInWithToken = (token: string) =>
  callApi('POST /api/v1/auth/session', { headers: { authorization: `Bearer ${token}` } });

export const signOut = () => callApi('DELETE /api/v1/auth/session', {});

/** Ends the other browser sessions of the same user. */
export const endOtherSessions = () => callApi('DELETE /api/v1/auth/session', { query: { which: 'others' } });

export const may = (session: Session, scope: Scope): boolean =>
  session.scopes.includes(scope) || session.scopes.includes('admin');

export const isReadOnly = ({ scopes }: Session): boolean => scopes.every((scope) => scope === 'memory:read');
