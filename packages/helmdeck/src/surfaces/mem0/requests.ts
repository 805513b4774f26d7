import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { callerName } from '../../memory/namespace.ts';
import type { Identity } from '../http/auth.ts';
import { ENTITIES, type Entities, entityTags } from './memory-facts.ts';

// The bodies that clients of mem0 send. They carry more than is used here, so other fields are ignored.

const text = z.string().max(1_048_576);
const id = z.string().min(1).max(1_000).nullish();
const message = z.looseObject({ role: z.string(), content: text });
const filters = z.record(z.string(), z.unknown()).nullish();

const entities = { user_id: id, agent_id: id, run_id: id, app_id: id };

export const addBody = z.looseObject({
  messages: z.union([text, message, z.array(message).max(500)]),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  infer: z.boolean().nullish(),
  ...entities,
});
export const listBody = z.looseObject({ filters, ...entities });
export const searchBody = z.looseObject({
  query: z.string().max(10_000),
  filters,
  top_k: z.int().min(1).max(1_000).nullish(),
  limit: z.int().min(1).max(1_000).nullish(),
  threshold: z.number().nullish(),
  ...entities,
});
export const updateBody = z.looseObject({
  text: text.nullish(),
  data: text.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

export function parsed<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message: problem } = result.error.issues[0]!;
  throw invalid(`${path.map(String).join('.').slice(0, 100) || 'The body'}: ${problem.slice(0, 200)}.`);
}

type Named = { user_id?: string | null } & { [name in keyof Entities]?: string | null };

/** The tags that the named agents, runs and apps have. The user can only be the caller. */
export function tagsOf(identity: Identity, named: Named): string[] {
  assertOwnUser(identity, named.user_id);
  return entityTags(Object.fromEntries(ENTITIES.map((name) => [name, named[name] ?? undefined])));
}

export function assertOwnUser({ caller }: Identity, userId: string | null | undefined): void {
  if (userId === undefined || userId === null || userId === callerName(caller)) return;
  throw new AppError('insufficient_scope', 'user_id must be your own.', {
    hint: 'Leave it out, or give the subject of the token; each user has a token.',
  });
}

export const invalid = (message: string) => new AppError('invalid_input', message, { reason: 'bad_type' });
