import { AppError } from '../../errors.ts';
import { type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import { type Entry, isLive } from '../entry.ts';
import { findEntry, type Memory, putOp, readEntry, transact, walkMemory } from '../memory.ts';
import type { Op } from '../store.ts';
import { renewSessionOp, sessionRowId } from './sessions.ts';
import {
  assertNoSecret,
  type FactRules,
  validCategory,
  validKey,
  validTags,
  validValue,
} from './validate-fact.ts';

/** Options of a note that a pack stores. */
export interface NoteOptions {
  ttlSeconds?: number;
  category?: string;
  tags?: readonly string[];
}

export const NOTE_POLICY = Object.freeze({
  defaultTtlSeconds: 86_400,
  maxTtlSeconds: 31_536_000,
  defaultCategory: 'working',
  maxListed: 1_000,
});

interface Note {
  key: string;
  value: string;
  category: string;
  tags: string[];
  ttlMs: number;
}

/** Stores a pack's working note: in the session if there is one, otherwise for the caller. */
export async function storeNote(
  memory: Memory,
  rules: FactRules,
  input: { key: string; value: string; options?: NoteOptions },
  session?: string,
): Promise<void> {
  const note = validNote(rules, input);
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  memory.limits.takeWrites(ns, 1);
  const reservation = memory.limits.reserve(ns);
  // Notes of one session are written one after another, because each renews the session's row.
  const queueName = session ?? `${ns.toString('hex')} note ${note.key}`;
  await transact(memory, keysOf, queueName, async (keys) => {
    const ops = await noteOps(memory, keys, note, session);
    await reservation.hold(
      0,
      ops.reduce((sum, op) => sum + (op.type === 'put' ? op.row.body.length : 0), 0),
    );
    return { ops, result: undefined };
  }).finally(() => reservation.release());
}

async function noteOps(
  memory: Memory,
  keys: NamespaceKeys,
  note: Note,
  session: string | undefined,
): Promise<Op[]> {
  const nowMs = memory.now();
  const id = rowId(keys, 'note', note.key, session);
  const row = await memory.store.get(keys.ns, id);
  const { ttlMs, ...content } = note;
  const put = putOp(
    keys,
    {
      id,
      kind: 'note',
      group: session === undefined ? null : sessionRowId(keys, session),
      content: session === undefined ? content : { ...content, session },
      createdMs: row && isLive(row, nowMs) ? row.createdMs : nowMs,
      updatedMs: nowMs,
      expiresMs: nowMs + ttlMs,
    },
    row,
  );
  return session === undefined ? [put] : [await renewSessionOp(memory, keys, session), put];
}

function validNote(
  rules: FactRules,
  { key, value, options = {} }: { key: string; value: string; options?: NoteOptions },
): Note {
  const { ttlSeconds = NOTE_POLICY.defaultTtlSeconds, category, tags } = options;
  if (!(typeof ttlSeconds === 'number' && ttlSeconds > 0 && ttlSeconds <= NOTE_POLICY.maxTtlSeconds)) {
    throw new AppError('invalid_input', 'ttlSeconds of a note must be above 0 and at most a year.', {
      reason: 'bad_type',
    });
  }
  const note = {
    key: validKey(key),
    value: validValue(value, rules.maxValueBytes),
    category: category === undefined ? NOTE_POLICY.defaultCategory : validCategory(category),
    tags: validTags(tags),
    ttlMs: Math.ceil(ttlSeconds * 1000),
  };
  if (rules.secretGuard) assertNoSecret(note);
  return note;
}

/** Inside a session, its note; otherwise the caller's note, or else the caller's fact. */
export async function recallEntry(memory: Memory, key: string, session?: string): Promise<Entry | undefined> {
  const normal = validKey(key);
  if (session === undefined)
    return (await findEntry(memory, 'note', normal)) ?? (await findEntry(memory, 'fact', normal));
  const keys = await memory.directory.find(memory.caller);
  return keys && readEntry(memory, keys, rowId(keys, 'note', normal, session));
}

/**
 * The entries a pack sees, newest first: inside a session its notes; otherwise the caller's facts and notes, where a note
 * hides the fact with the same key.
 */
export async function* walkNotes(memory: Memory, session?: string, prefix = ''): AsyncGenerator<Entry> {
  if (session !== undefined) {
    const keys = await memory.directory.find(memory.caller);
    if (!keys) return;
    const group = sessionRowId(keys, session);
    for await (const entry of walkMemory(memory, { kinds: ['note'], group, newestFirst: true }))
      if (entry.key.startsWith(prefix)) yield entry;
    return;
  }
  for await (const entry of walkMemory(memory, { kinds: ['fact', 'note'], newestFirst: true })) {
    if (!entry.key.startsWith(prefix)) continue;
    if (entry.kind === 'note' ? entry.session !== undefined : await findEntry(memory, 'note', entry.key))
      continue;
    yield entry;
  }
}

export async function listEntries(
  memory: Memory,
  prefix: string,
  limit: number,
  session?: string,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of walkNotes(memory, session, prefix)) {
    found.push(entry);
    if (found.length === Math.min(limit, NOTE_POLICY.maxListed)) break;
  }
  return found;
}

/** Deletes a note. Packs cannot delete facts this way. */
export async function deleteNote(memory: Memory, key: string, session?: string): Promise<boolean> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return false;
  const id = rowId(keys, 'note', validKey(key), session);
  return (await memory.store.apply(keys, [{ type: 'delete', id }])).deleted > 0;
}
