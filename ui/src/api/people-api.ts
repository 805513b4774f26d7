import { callApi } from './call-api.ts';
import type { Operations } from './generated/rest.ts';

// Accounts, for admins.

const MAX_LISTED = 200;

export const listUsers = () => callApi('GET /api/v1/users', { query: { limit: MAX_LISTED } });

export const addUser = (body: Operations['POST /api/v1/users']['body']) =>
  callApi('POST /api/v1/users', { body });

export const changeUser = (id: string, body: Operations['PATCH /api/v1/users/{id}']['body']) =>
  callApi('PATCH /api/v1/users/{id}', { path: { id }, body });

/** Ends the password; answers with a link for a new one. */
export const resetUser = (id: string) => callApi('POST /api/v1/users/{id}/invitation', { path: { id } });

export const removeUser = (id: string) => callApi('DELETE /api/v1/users/{id}', { path: { id } });
