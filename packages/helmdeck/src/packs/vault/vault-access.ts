import { AppError } from '../../errors.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Secret, Vault } from '../../vault/vault.ts';

/** Gives packs the caller's vault; throws `vault_unavailable` if there is none. */
export interface VaultAccess {
  readonly isOpen: boolean;
  vaultOf(caller: Caller): Vault;
}

/**
 * Checks that a request may send this secret. A secret that is not bound to hosts can be sent to the caller's own server
 * and read there, so it needs the scope for reading.
 */
export function usableSecret(secret: Secret | undefined, scopes: ReadonlySet<string>): Secret | undefined {
  if (!secret || secret.hosts.length > 0 || scopes.has('vault:read') || scopes.has('admin')) return secret;
  throw new AppError(
    'insufficient_scope',
    'A secret that is not bound to hosts needs the scope vault:read.',
    {
      hint: 'Write the secret again with "hosts", or use a token with the scope vault:read.',
    },
  );
}
