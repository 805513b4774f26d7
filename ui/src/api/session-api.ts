import { callApi } from './call-api.ts';
import type { Scope, Session } from './generated/rest.ts';

// The browser session: sign in, sign out, and what it may do.

export const readSession = () => callApi('GET /api/v1/auth/session', {});

export const signInWithPassword = (username: string, password: string) =>
  callApi('POST /api/v1/auth/session', { body: { username, password } });

/** The server puts the token into an HttpOnly cookie; the page keeps no copy. */
export const signInWithToken = (token: string) =>
  callApi('POST /api/v1/auth/session', { headers: { authorization: `Bearer ${token}` } });

/** `all`: also the sessions and logins of the same person elsewhere. */
export const signOut = (which: 'this' | 'all') =>
  callApi('DELETE /api/v1/auth/session', { query: { which } });

export const readSignInMethods = () => callApi('GET /api/v1/auth/methods', {});

export const readInvitation = (invitation: string) =>
  callApi('POST /api/v1/auth/invitation', { body: { invitation } });

export const acceptInvitation = (invitation: string, password: string) =>
  callApi('POST /api/v1/auth/invitation/accept', { body: { invitation, password } });

export const changePassword = (current: string, next: string) =>
  callApi('POST /api/v1/auth/password', { body: { current_password: current, new_password: next } });

/** Ends the other browser sessions of the same user. */
export const endOtherSessions = () => callApi('DELETE /api/v1/auth/session', { query: { which: 'others' } });

export const may = (session: Session, scope: Scope): boolean =>
  session.scopes.includes(scope) || session.scopes.includes('admin');

export const isReadOnly = ({ scopes }: Session): boolean => scopes.every((scope) => scope === 'memory:read');
