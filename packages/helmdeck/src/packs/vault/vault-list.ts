import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { isoMs } from '../../memory/times.ts';
import type { VaultAccess } from './vault-access.ts';

/** `vault.list`: names and times, never a value. */
export function vaultListPack({ vaultOf }: VaultAccess): Pack {
  return definePack({
    name: 'vault.list',
    version: 'v1',
    description: 'List the secrets in your vault: names, hosts and times, no values.',
    input: z.strictObject({}),
    output: z.object({
      secrets: z.array(
        z.object({
          name: z.string(),
          hosts: z.array(z.string()),
          places: z.array(z.string()),
          created_at: z.string(),
          updated_at: z.string(),
        }),
      ),
    }),
    scopes: ['vault:read'],
    metadata: {
      accepts: [],
      produces: ['secret_name'],
      intent_keywords: ['which secrets', 'list credentials', 'what is in the vault'],
      typical_use: 'Finding the name of a secret before it is used.',
    },
    async handler({ caller }) {
      const secrets = await vaultOf(caller).list();
      return {
        secrets: secrets.map(({ name, hosts, places, createdMs, updatedMs }) => ({
          name,
          hosts,
          places,
          created_at: isoMs(createdMs),
          updated_at: isoMs(updatedMs),
        })),
      };
    },
  });
}
