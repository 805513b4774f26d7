import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import type { VaultAccess } from './vault-access.ts';

/** `vault.delete`: removes one secret for good. */
export function vaultDeletePack({ vaultOf }: VaultAccess): Pack {
  return definePack({
    name: 'vault.delete',
    version: 'v1',
    description: 'Delete a secret from your vault.',
    input: z.strictObject({ name: z.string().describe('Name of the secret') }),
    output: z.object({ deleted: z.int().describe('1, or 0 when there was none') }),
    scopes: ['vault:write'],
    metadata: {
      accepts: ['secret_name'],
      produces: [],
      intent_keywords: ['delete the password', 'remove an api key', 'revoke the credential'],
      typical_use: 'A credential is no longer used.',
      limitations: ['It does not revoke the credential where it was issued.'],
    },
    handler: async ({ input, caller }) => ({
      deleted: (await vaultOf(caller).delete(input.name)) ? 1 : 0,
    }),
  });
}
