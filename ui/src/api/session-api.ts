import { callApi } from './call-api.ts';

export interface Session {
  subject: string;
  scopes: string[];
  client?: string;
  expires_at: string | null;
}

export const readSession = () => callApi<Session>('/auth/session');

export const signInWithPassword = (username: string, password: string) =>
  callApi<Session>('/auth/session', { method: 'POST', body: { username, password } });

/** The token goes into an HttpOnly cookie; nothing in the page keeps it. */
export const signInWithToken = (token: string) =>
  callApi<Session>('/auth/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } });

export const signOut = () => callApi('/auth/session', { method: 'DELETE' });

export const may = (session: Session, scope: string): boolean =>
  session.scopes.includes(scope) || session.scopes.includes('admin');
