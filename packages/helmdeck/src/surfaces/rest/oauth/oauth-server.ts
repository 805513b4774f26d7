import { AppError } from '../../../errors.ts';
import type { Scope } from '../../http/auth.ts';
import type { ClientDocuments } from './client-documents.ts';
import type { RegistrationLimit } from './registration-limit.ts';

/** The authorization server, present if HELMDECK_PUBLIC_URL is set and tokens come from this server. */
export interface AuthorizationServer {
  /** The public URL, without a slash at its end: clients compare it as text. */
  issuer: string;
  /** The URLs that tokens can be for, the whole server among them, each with the scopes that clients should ask for. */
  resources: ReadonlyMap<string, readonly Scope[]>;
  /** Absent if HELMDECK_OAUTH_CLIENT_DOCUMENTS is off. */
  documents?: ClientDocuments;
  registrations: RegistrationLimit;
}

/** What an application can be granted. To administer and to decide on proposals is for people. */
export const GRANTABLE_SCOPES = [
  'memory:read',
  'memory:write',
  'memory:propose',
  'packs:run',
  'pipelines:run',
  'vault:read',
  'vault:write',
] as const satisfies readonly Scope[];

/** Those that the metadata names. Some clients ask for all that they find there, so the vault is not among them. */
export const ADVERTISED_SCOPES: readonly Scope[] = GRANTABLE_SCOPES.filter(
  (scope) => !scope.startsWith('vault:') && scope !== 'memory:propose',
);

export function authorizationServer({ oauth }: { oauth?: AuthorizationServer }): AuthorizationServer {
  if (oauth) return oauth;
  throw new AppError('not_found', 'This server is not an OAuth authorization server.', {
    hint: 'Set HELMDECK_PUBLIC_URL on the server to the URL that clients use.',
  });
}
