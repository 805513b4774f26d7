import { AppError, toAppError } from '../../errors.ts';
import { groupId, rowId } from '../crypto/sealed.ts';
import type { Entry, EntryContent } from '../entry.ts';
import { MAX_UNCONFIRMED_FACTS } from '../erase/confirmation.ts';
import { forget } from '../erase/forget.ts';
import { assertHarmlessLabels } from '../gate/screen-change.ts';
import { instant } from '../import-export.ts';
import { type Memory, putOp, readEntry, transact } from '../memory.ts';
import { expiryMs, wholeSeconds } from '../times.ts';
import { type FactView, factView } from './read-facts.ts';
import { assertVersion, queueName } from './remember.ts';
import {
  asObject,
  assertStill,
  FACT_POLICY,
  type FactPatch,
  type FactRules,
  patchedContent,
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
interface FiledFact extends Pick<FactView, 'key' | 'category' | 'tags' | 'expires_at'> {
  /** How the change left it. A fact that is not so any more was written since, and is not restored. */
  after: Pick<FactView, 'updated_at' | 'expires_at'>;
}

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

/** The change that gives a fact back the category, the tags and the expiry that it had, unless it was written since. */
function restoring(input: unknown, rules: FactRules): FactChange {
  const fields = ['key', 'category', 'tags', 'expires_at', 'after'];
  const { key, expires_at, after, ...filing } = asObject(input, fields);
  const left = asObject(after, ['updated_at', 'expires_at']);
  return {
    key: validKey(key),
    patch: {
      ...validatePatch(filing, rules),
      expiresMs: instant('expires_at', expires_at),
      ifStill: {
        updatedMs: instant('after.updated_at', left.updated_at),
        expiresMs: instant('after.expires_at', left.expires_at),
      },
    },
  };
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
      const { before, entry } = await patchFact(memory, key, patch);
      result.before.push(filedFact(memory, before, entry));
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

function filedFact(memory: Memory, before: Entry, after: Entry): FiledFact {
  const { key, category, tags, expires_at } = factView(memory, before);
  const left = factView(memory, after);
  return {
    key,
    category,
    tags,
    expires_at,
    after: { updated_at: left.updated_at, expires_at: left.expires_at },
  };
}

/** Changes expiry, category or tags of a fact. */
export function patchFact(
  memory: Memory,
  key: string,
  patch: FactPatch,
  ifVersion?: number,
): Promise<Rewritten> {
  return rewriteFact(memory, key, ifVersion, async (before, nowMs) => {
    assertStill(patch, before);
    const content = patchedContent(before, patch);
    await assertHarmlessLabels(memory.gate.mode, before, { ...before, ...content });
    return { content, updatedMs: nowMs, expiresMs: patchedExpiryMs(patch, before.expiresMs, nowMs) };
  });
}

function patchedExpiryMs({ ttlSeconds, expiresMs }: FactPatch, oldExpiryMs: number | null, nowMs: number) {
  if (expiresMs !== undefined) return wholeSeconds(expiresMs);
  return ttlSeconds === undefined ? oldExpiryMs : expiryMs(nowMs, ttlSeconds);
}

/** The fields of a fact that change while its value stays. */
interface Rewrite {
  content: Partial<EntryContent>;
  updatedMs: number;
  expiresMs: number | null;
}

/** A fact before and after it was written again. */
interface Rewritten {
  before: Entry;
  entry: Entry;
}

/** Writes a fact again with other fields. The value stays, so there is no new version. */
export async function rewriteFact(
  memory: Memory,
  key: string,
  ifVersion: number | undefined,
  change: (before: Entry, nowMs: number) => Rewrite | Promise<Rewrite>,
): Promise<Rewritten> {
  const keys = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keys();
  memory.limits.takeWrites(ns, 1);
  const rewritten = await transact(memory, keys, queueName(ns, key), async (current) => {
    const before = await readEntry(memory, current, rowId(current, 'fact', key));
    if (!before) throw new AppError('not_found', 'There is no such fact.');
    assertVersion(ifVersion, before.version ?? 0);
    const { content: changed, updatedMs, expiresMs } = await change(before, memory.now());
    const { id, kind, rev, seq, createdMs, updatedMs: _, expiresMs: __, ...old } = before;
    const content = { ...old, ...changed };
    const group = groupId(current, 'category', content.category ?? FACT_POLICY.defaultCategory);
    const header = { id, kind, group, createdMs, updatedMs, expiresMs };
    const entry: Entry = { ...content, ...header, rev: rev + 1, seq };
    return { ops: [putOp(current, { ...header, content }, before)], result: { before, entry } };
  });
  memory.changes.emit(ns, {
    type: 'store',
    kind: 'fact',
    key,
    version: rewritten.entry.version,
    atMs: memory.now(),
  });
  return rewritten;
}
