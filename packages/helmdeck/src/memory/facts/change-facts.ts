import { AppError, toAppError } from '../../errors.ts';
import type { Entry } from '../entry.ts';
import { MAX_UNCONFIRMED_FACTS } from '../erase/confirmation.ts';
import { forget } from '../erase/forget.ts';
import { instant } from '../import-export.ts';
import type { Memory } from '../memory.ts';
import { type FactView, factView } from './read-facts.ts';
import { patchFact } from './remember.ts';
import {
  asObject,
  FACT_POLICY,
  type FactPatch,
  type FactRules,
  validatePatch,
  validKey,
} from './validate-fact.ts';

const MAX_CHANGED_FACTS = 500;

/** New fields for a fact, or that it is to be forgotten. */
export interface FactChange {
  key: string;
  patch: FactPatch | 'forget';
}

/** What a change can alter and a restore brings back. */
type FiledFact = Pick<FactView, 'key' | 'category' | 'tags' | 'expires_at'>;

/** The result of several changes; each fact is changed on its own, so some may fail. */
export interface ChangedFacts {
  changed: number;
  /** The changed facts as they were, so that the change can be undone. */
  before: FiledFact[];
  /** By the index of the key in the request. */
  failed: { index: number; error: AppError }[];
}

/** All of the changes forget, or none of them. */
export function validateChanges(input: unknown, rules: FactRules): FactChange[] {
  const {
    keys,
    restore,
    forget: isForget,
    confirm,
    ...fields
  } = asObject(input, [
    'keys',
    'category',
    'ttl_seconds',
    'add_tags',
    'remove_tags',
    'forget',
    'confirm',
    'restore',
  ]);
  if (restore !== undefined) {
    if (Object.keys(input as object).length > 1)
      throw new AppError('invalid_input', 'Restore facts or change them, not both.', { reason: 'bad_type' });
    return listOf('restore', restore).map((fact) => restoring(fact, rules));
  }
  const valid = listOf('keys', keys).map((key) => validKey(key));
  for (const [name, flag] of Object.entries({ forget: isForget, confirm }))
    if (flag !== undefined && typeof flag !== 'boolean')
      throw new AppError('invalid_input', `${name} must be true or false.`, { reason: 'bad_type' });
  if (isForget !== true) {
    const patch = validatePatch(fields, rules, 'several');
    return valid.map((key) => ({ key, patch }));
  }
  if (Object.keys(fields).length > 0)
    throw new AppError('invalid_input', 'Forget facts or change them, not both.', { reason: 'bad_type' });
  const { size } = new Set(valid);
  if (size > MAX_UNCONFIRMED_FACTS && confirm !== true)
    throw new AppError('invalid_input', `This forgets ${size} facts and needs confirm: true.`, {
      reason: 'confirmation_required',
    });
  return valid.map((key) => ({ key, patch: 'forget' }));
}

function listOf(name: string, input: unknown): unknown[] {
  if (!Array.isArray(input) || input.length === 0)
    throw new AppError('invalid_input', `${name} must be a list of facts.`, { reason: 'bad_type' });
  if (input.length > MAX_CHANGED_FACTS)
    throw new AppError('invalid_input', `At most ${MAX_CHANGED_FACTS} facts at once.`, {
      reason: 'too_many_facts',
    });
  return input;
}

/** The change that gives a fact back the category, the tags and the expiry that it had. */
function restoring(input: unknown, rules: FactRules): FactChange {
  const { key, expires_at, ...filing } = asObject(input, ['key', 'category', 'tags', 'expires_at']);
  const patch = validatePatch(filing, rules);
  return { key: validKey(key), patch: { ...patch, expiresMs: instant('expires_at', expires_at) } };
}

export async function changeFacts(memory: Memory, changes: readonly FactChange[]): Promise<ChangedFacts> {
  const result: ChangedFacts = { changed: 0, before: [], failed: [] };
  const keys = changes.map(({ key }) => key);
  const changeOne = async ({ key, patch }: FactChange, index: number) => {
    if (keys.indexOf(key) !== index) return; // a key that is named twice is changed once
    try {
      if (patch === 'forget') {
        const deleted = await forget(memory, { type: 'fact', name: key });
        result.changed += deleted;
        return;
      }
      assertFuture(patch, memory.now());
      result.before.push(filedFact(memory, (await patchFact(memory, key, patch)).before));
      result.changed += 1;
    } catch (thrown) {
      result.failed.push({ index, error: toAppError(thrown) });
    }
  };
  await Promise.all(changes.map(changeOne));
  result.failed.sort((a, b) => a.index - b.index);
  return result;
}

/** A restored expiry may have passed by now; such a fact keeps the one it has. */
function assertFuture({ expiresMs }: FactPatch, nowMs: number): void {
  if (expiresMs === undefined) return;
  if (expiresMs <= nowMs)
    throw new AppError('invalid_input', 'expires_at has passed.', { reason: 'ttl_too_short' });
  if (expiresMs > nowMs + FACT_POLICY.maxTtlSeconds * 1000)
    throw new AppError('invalid_input', 'expires_at is more than a year away.', { reason: 'ttl_too_long' });
}

function filedFact(memory: Memory, entry: Entry): FiledFact {
  const { key, category, tags, expires_at } = factView(memory, entry);
  return { key, category, tags, expires_at };
}
