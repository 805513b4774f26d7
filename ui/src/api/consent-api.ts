import { callApi } from './call-api.ts';
import type { Scope } from './generated/rest.ts';

// What an application asks for over OAuth, by the query of the page that it opened.

export const readConsent = (query: string) => callApi('GET /api/v1/oauth/consent', { query: { query } });

interface Decision {
  query: string;
  decision: 'allow' | 'deny';
  scopes?: Scope[];
  /** The only spaces that the application may use. */
  spaces?: string[];
}

export const decideConsent = (body: Decision) => callApi('POST /api/v1/oauth/consent', { body });
