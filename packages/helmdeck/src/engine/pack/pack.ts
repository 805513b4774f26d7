import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Artifacts } from '../../memory/artifact.ts';
import type { Source } from '../../memory/entry.ts';
import type { ContextView } from '../../memory/facts/overview.ts';
import type { Trust } from '../../memory/gate/trust.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { SpaceIdentity } from '../../memory/spaces/space.ts';
import type { CommonFinding } from '../history/defaults.ts';
import { metadataProblem, type PackMetadata } from './metadata.ts';
import type { PackMemory } from './pack-memory.ts';
import type { PackFetch, PackVault } from './pack-services.ts';

/** Caches results for identical calls of the same caller. */
export interface CachePolicy {
  /** How long a result is fresh. There is no default and no "forever". */
  ttlSeconds: number;
  /** How much longer a stale result may be returned while it is revalidated in the background. */
  staleSeconds?: number;
  /** Written into the cached entry; default `cache`. */
  category?: string;
  /** What else the result depends on besides caller, pack and input. */
  vary?: (call: { input: unknown; session?: string }) => string;
}

/** Stores successful outputs as notes of the caller. */
export interface CapturePolicy {
  prefix: string;
  ttlSeconds: number;
}

export interface MemoryPolicy {
  cache?: CachePolicy;
  capture?: CapturePolicy;
  /** Gives the handler `ec.context`: the newest entries of the caller's memory, without values. */
  context?: true;
  /** Gives the handler `ec.findings`: what runs of this pack of the caller reported most, or runs of all packs. */
  findings?: 'own' | 'all';
}

/** Writes to the server's log; messages and fields must not contain values. */
export interface PackLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a handler can use. All of it stops working when the run ends. */
export interface PackContext<Input = unknown> {
  readonly input: Input;
  readonly caller: Caller;
  /** Of the caller's token. */
  readonly scopes: ReadonlySet<string>;
  /** Which spaces the run gets into; absent: none. */
  readonly spaceAccess?: SpaceIdentity;
  /** Recorded as the origin of facts that the run stores for the caller. */
  readonly source: Source;
  /** How far facts that the run stores for the caller are trusted. */
  readonly trust: Trust;
  /** Absent while memory is off. */
  readonly memory?: PackMemory;
  readonly context?: ContextView;
  /** The most frequent first; empty unless the pack asks for them. */
  readonly findings: readonly CommonFinding[];
  readonly artifacts: Artifacts;
  readonly vault: PackVault;
  readonly fetch: PackFetch;
  readonly logger: PackLogger;
  /** Reports progress in percent; throttled to ten reports a second. */
  progress(percent: number, message?: string): void;
  /** Aborted when the run is cancelled, exceeds its deadline or has ended. */
  readonly signal: AbortSignal;
  /** The session this run belongs to. */
  readonly session?: string;
}

/** A sample call; `helmdeck pack test` runs it. */
export interface PackExample {
  input: unknown;
  /** Absent: any result that matches the schema. */
  output?: unknown;
}

export interface PackDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  /** `family.verb_noun`, lower case. */
  name: string;
  /** `v1`, `v2`, … */
  version: string;
  description: string;
  /** An object schema; every field described. */
  input: Input;
  /** Must not transform, because cached results are validated again. */
  output: Output;
  metadata?: PackMetadata;
  memory?: MemoryPolicy;
  /** `false`: runs leave no run record. */
  audit?: false;
  /** The output comes from outside, although the handler does not use `ec.fetch`. */
  external?: true;
  /** Runs as a job: the call returns at once, the result is fetched later. */
  async?: true;
  /** Gives each run without a session a temporary one that ends with the run. */
  session?: true;
  deadlineMs?: number;
  /** Scopes a token needs besides `packs:run`. */
  scopes?: readonly string[];
  examples?: readonly PackExample[];
  /** The output as text for a language model; default: as JSON. */
  text?(output: z.output<Output>, input: z.output<Input>): string | undefined;
  handler(ec: PackContext<z.output<Input>>): Promise<z.input<Output>> | z.input<Output>;
}

/** A validated definition, with everything that is derived from it. */
export interface Pack {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly metadata: PackMetadata;
  readonly memory: MemoryPolicy;
  readonly audited: boolean;
  readonly external: boolean;
  readonly async: boolean;
  readonly ownSession: boolean;
  readonly deadlineMs: number;
  readonly scopes: readonly string[];
  readonly examples: readonly PackExample[];
  readonly inputSchema: object;
  readonly outputSchema: object;
  /** Changes whenever the definition does, so that a changed pack never serves an old result. */
  readonly definitionHash: string;
  text?(output: unknown, input: unknown): string | undefined;
  handler(ec: PackContext): Promise<unknown>;
}

export const PACK_LIMITS = Object.freeze({
  maxNameChars: 64,
  defaultDeadlineMs: 60_000,
  defaultAsyncDeadlineMs: 1_800_000,
  maxDeadlineMs: 86_400_000,
  maxCacheSeconds: 31_536_000,
  /** Enough for the largest artifact in base64. */
  maxOutputChars: 64 * 1024 * 1024,
});

const NAME = /^[a-z][a-z0-9_]*(?:[.-][a-z0-9_]+)*$/;
const VERSION = /^v[1-9][0-9]{0,5}$/;

/** Validates a pack definition, so that a mistake shows at startup and not at the first call. */
export function definePack<Input extends z.ZodType, Output extends z.ZodType>(
  definition: PackDefinition<Input, Output>,
): Pack {
  const { name, version, memory = {}, metadata = {}, deadlineMs } = definition;
  if (!NAME.test(name) || name.length > PACK_LIMITS.maxNameChars)
    refuse(name, 'the name must be lower-case words joined by dots, at most 64 characters');
  if (!VERSION.test(version)) refuse(name, 'the version must look like v1');
  if (typeof definition.handler !== 'function') refuse(name, 'there is no handler');
  if (deadlineMs !== undefined && !(deadlineMs >= 1 && deadlineMs <= PACK_LIMITS.maxDeadlineMs))
    refuse(name, `deadlineMs must be from 1 to ${PACK_LIMITS.maxDeadlineMs}`);
  checkMemoryPolicy(name, memory);
  const problem = metadataProblem({ ...metadata });
  if (problem !== undefined) refuse(name, problem);
  const inputSchema = jsonSchema(name, 'input', definition.input);
  const outputSchema = jsonSchema(name, 'output', definition.output);
  if ((inputSchema as { type?: string }).type !== 'object') refuse(name, 'the input must be an object');
  const fallbackMs = definition.async ? PACK_LIMITS.defaultAsyncDeadlineMs : PACK_LIMITS.defaultDeadlineMs;
  return Object.freeze({
    name,
    version,
    description: definition.description,
    input: definition.input,
    output: definition.output,
    metadata,
    memory,
    audited: definition.audit !== false,
    external: definition.external === true,
    async: definition.async === true,
    ownSession: definition.session === true,
    deadlineMs: deadlineMs ?? fallbackMs,
    scopes: definition.scopes ?? [],
    examples: definition.examples ?? [],
    inputSchema,
    outputSchema,
    text: definition.text as Pack['text'],
    definitionHash: hashOf([version, inputSchema, outputSchema, memory, String(definition.handler)]),
    handler: async (ec: PackContext) => definition.handler(ec as PackContext<z.output<Input>>),
  });
}

function checkMemoryPolicy(name: string, { cache, capture, findings }: MemoryPolicy): void {
  if (findings !== undefined && findings !== 'own' && findings !== 'all')
    refuse(name, 'findings must be own or all');
  const isTtl = (value: unknown) =>
    typeof value === 'number' && value > 0 && value <= PACK_LIMITS.maxCacheSeconds;
  if (cache && !isTtl(cache.ttlSeconds))
    refuse(name, 'a cache needs ttlSeconds above 0 and at most a year: nothing is cached forever');
  if (cache?.staleSeconds !== undefined && !isTtl(cache.staleSeconds))
    refuse(name, 'staleSeconds must be above 0 and at most a year');
  if (!capture) return;
  if (!isTtl(capture.ttlSeconds)) refuse(name, 'capture needs ttlSeconds above 0 and at most a year');
  if (typeof capture.prefix !== 'string' || capture.prefix.trim() === '' || capture.prefix.length > 400)
    refuse(name, 'capture needs a prefix');
}

/** The schema as JSON Schema. One that JSON Schema cannot express, such as a transform, is rejected. */
function jsonSchema(name: string, io: 'input' | 'output', schema: z.ZodType): object {
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { reused: 'inline', io, override });
    return rest;
  } catch (thrown) {
    throw new AppError('invalid_input', `The pack "${name}" cannot be used: its ${io} has no JSON Schema.`, {
      reason: 'bad_pack',
      hint: 'Use plain zod types without transforms in output.',
      cause: thrown,
    });
  }
}

/** `additionalProperties: {}` says no more than leaving it out, and some clients cannot read it. */
function override({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === 'object' && more !== null && Object.keys(more).length === 0)
    delete jsonSchema.additionalProperties;
}

const hashOf = (parts: unknown) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

function refuse(name: string, why: string): never {
  throw new AppError('invalid_input', `The pack ${JSON.stringify(String(name))} cannot be used: ${why}.`, {
    reason: 'bad_pack',
    hint: 'Correct the definition of the pack.',
  });
}
