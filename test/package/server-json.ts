import { z } from 'zod';

// What https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json and the registry's own rules ask for.

const variable = z.strictObject({
  name: z.string().regex(/^[A-Z_]+$/),
  description: z.string(),
  default: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});
const argument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('positional'), value: z.string() }),
  z.strictObject({ type: z.literal('named'), name: z.string().startsWith('--'), value: z.string() }),
]);
/** One version, not a range, and not `latest`. */
const version = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
const shared = {
  version,
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(variable),
};

export const SERVER_JSON = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^io\.github\.[\w-]+\/[\w.-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  websiteUrl: z.url({ protocol: /^https$/ }),
  repository: z.strictObject({ url: z.url({ protocol: /^https$/ }), source: z.literal('github') }),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      registryBaseUrl: z.literal('https://registry.npmjs.org'),
      identifier: z.string(),
      packageArguments: z.array(argument),
      ...shared,
    }),
    z.strictObject({
      registryType: z.literal('mcpb'),
      identifier: z.url({ protocol: /^https$/ }).endsWith('.mcpb'),
      // Required of bundles, optional elsewhere.
      fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
      ...shared,
    }),
  ]),
});
