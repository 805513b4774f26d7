import { z } from 'zod';
import { definePack, type Pack } from '../../engine/pack/pack.ts';
import { AppError } from '../../errors.ts';
import { runProgram } from './run-program.ts';

/** The content of a `*.pack.json` file: how to call a program as a pack. */
const manifestSchema = z.strictObject({
  name: z.string(),
  version: z.string().default('v1'),
  description: z.string().min(1),
  /** The program and its arguments; a relative path is resolved against the folder of the file. */
  command: z.array(z.string().min(1)).min(1).max(32),
  input_schema: z.record(z.string(), z.unknown()).default({ type: 'object' }),
  output_schema: z.record(z.string(), z.unknown()).default({ type: 'object' }),
  timeout_seconds: z.number().positive().max(60).default(60),
  scopes: z.array(z.string()).default([]),
  cache_seconds: z.number().positive().optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  examples: z.array(z.strictObject({ input: z.unknown(), output: z.unknown().optional() })).default([]),
});

/** A pack that runs a program of the operator: input as JSON on stdin, output as JSON on stdout. */
export function commandPack(manifest: unknown, folder: string): Pack {
  const parsed = manifestSchema.safeParse(manifest);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new AppError('invalid_input', `${issue!.path.map(String).join('.')}: ${issue!.message}.`, {
      reason: 'bad_pack',
    });
  }
  const { name, version, description, command, scopes, metadata, examples } = parsed.data;
  const { timeout_seconds, cache_seconds } = parsed.data;
  return definePack({
    name,
    version,
    description,
    input: schemaOf(name, 'input_schema', parsed.data.input_schema),
    output: schemaOf(name, 'output_schema', parsed.data.output_schema),
    scopes,
    metadata,
    examples,
    memory: cache_seconds === undefined ? {} : { cache: { ttlSeconds: cache_seconds } },
    deadlineMs: timeout_seconds * 1000,
    handler: ({ input, signal }) => runProgram({ name, command, folder, input, signal }),
  });
}

function schemaOf(name: string, field: string, schema: Record<string, unknown>): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (thrown) {
    throw new AppError('invalid_input', `The pack "${name}" cannot be used: ${field} is not a JSON Schema.`, {
      reason: 'bad_pack',
      cause: thrown,
    });
  }
}
