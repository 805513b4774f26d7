import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { isoMs } from '../../memory/times.ts';
import type { VaultAccess } from './vault-access.ts';

/** `vault.write`: stores a credential, which memory would refuse. */
export function vaultWritePack({ vaultOf }: VaultAccess): Pack {
  return definePack({
    name: 'vault.write',
    version: 'v1',
    description:
      'Keep a credential in your vault, in place of an earlier one of the same name. Use it in http.fetch as ${vault:NAME}; it never shows up in results, logs or memory.',
    input: z.strictObject({
      name: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,64}$/)
        .describe('Name of the secret: letters, digits, _ . and -, at most 64'),
      value: z.string().min(1).describe('The secret itself, at most 32 KiB'),
      hosts: z
        .array(z.string())
        .max(32)
        .optional()
        .describe(
          'The only hosts it may be sent to, such as api.example.com or *.example.com; without them any host',
        ),
      places: z
        .array(z.string())
        .min(1)
        .max(8)
        .optional()
        .describe(
          'Where in a request it may stand: header (one that carries credentials), header:NAME, url, body; default header',
        ),
    }),
    output: z.object({
      name: z.string(),
      hosts: z.array(z.string()),
      places: z.array(z.string()),
      created: z.boolean().describe('false when an earlier value was replaced'),
      updated_at: z.string(),
    }),
    scopes: ['vault:write'],
    metadata: {
      accepts: ['credential'],
      produces: ['secret_name'],
      intent_keywords: ['save a password', 'store an api key', 'keep this token', 'credential'],
      typical_use: 'The user hands over an API key that later requests should carry.',
      limitations: ['There are no versions: the earlier value is gone.'],
    },
    async handler({ input, caller }) {
      const { name, hosts, places, created, updatedMs } = await vaultOf(caller).set(
        input.name,
        input.value,
        input.hosts,
        input.places,
      );
      return { name, hosts, places, created, updated_at: isoMs(updatedMs) };
    },
  });
}
