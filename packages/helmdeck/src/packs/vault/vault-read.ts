import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { AppError } from '../../errors.ts';
import { isoMs } from '../../memory/times.ts';
import type { VaultAccess } from './vault-access.ts';

/** `vault.read`: shows a secret to its owner. */
export function vaultReadPack({ vaultOf }: VaultAccess): Pack {
  return definePack({
    name: 'vault.read',
    version: 'v1',
    description:
      'Read a secret from your vault. Prefer ${vault:NAME} in http.fetch, which uses a secret without showing it.',
    input: z.strictObject({ name: z.string().describe('Name of the secret') }),
    output: z.object({
      name: z.string(),
      value: z.string(),
      hosts: z.array(z.string()).describe('The only hosts it may be sent to; empty for any'),
      updated_at: z.string(),
    }),
    scopes: ['vault:read'],
    metadata: {
      accepts: ['secret_name'],
      produces: ['credential'],
      intent_keywords: ['show the password', 'read a secret', 'which api key'],
      typical_use: 'The user wants to see a credential that was kept earlier.',
      limitations: ['The value becomes part of the result and of whatever keeps it.'],
    },
    async handler({ input, caller }) {
      const secret = await vaultOf(caller).get(input.name);
      if (!secret) {
        throw new AppError('not_found', 'There is no such secret in your vault.', {
          hint: 'List your secrets with the pack "vault.list".',
        });
      }
      const { name, value, hosts, updatedMs } = secret;
      return { name, value, hosts, updated_at: isoMs(updatedMs) };
    },
  });
}
