import { AppError } from '../../errors.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Secret, Vault } from '../../vault/vault.ts';

/** How packs reach the vault. It refuses with `vault_unavailable` while there is none. */
export interface VaultAccess {
  vaultOf(caller: Caller): Vault;
}

/**
 * Whether a request may carry this secret. One that is bound to hosts may; one that can be sent anywhere can be read
 * that way, so it takes the scope for reading.
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
