import { AppError } from '../../errors.ts';
import type { Identity, Scope } from './auth.ts';

/** An MCP URL as OAuth clients see it (RFC 9728): what tokens for it are for, and where its metadata is. */
export interface ProtectedResource {
  /** The values of `aud` that are for it: its own URLs, and the whole server. */
  audiences: ReadonlySet<string>;
  metadataUrl: string;
  /** What a client should ask for at first. */
  scopes: readonly Scope[];
}

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** `paths` belong to one MCP server; `path` is the one of them that is served. */
export function protectedResource(
  origin: string,
  path: string,
  { paths, scopes }: { paths: readonly string[]; scopes: readonly Scope[] },
): ProtectedResource {
  return {
    audiences: new Set([origin, ...paths.map((each) => origin + each)]),
    metadataUrl: `${origin}${RESOURCE_METADATA_PATH}${path}`,
    scopes,
  };
}

/** A token that was issued for one URL is not accepted at another: a server that gets one could use it here. */
export function assertAudience({ audience }: Identity, resource: ProtectedResource | undefined): void {
  if (audience === undefined || resource?.audiences.has(audience)) return;
  throw new AppError('invalid_token', 'The token was issued for another address.', {
    hint: 'Authorize the application for this address, or use a token of your own.',
  });
}

/** The WWW-Authenticate header of a failed request: where and with which scopes to get a token. */
export function challengeOf(error: AppError, resource: ProtectedResource | undefined): string {
  const parameters = ['realm="helmdeck"'];
  if (!resource) return `Bearer ${parameters.join(', ')}`;
  const isScope = error.code === 'insufficient_scope';
  if (isScope) parameters.push('error="insufficient_scope"');
  else if (error.code !== 'missing_bearer') parameters.push('error="invalid_token"');
  parameters.push(`resource_metadata="${resource.metadataUrl}"`);
  parameters.push(`scope="${((isScope && error.scopes) || resource.scopes).join(' ')}"`);
  return `Bearer ${parameters.join(', ')}`;
}
