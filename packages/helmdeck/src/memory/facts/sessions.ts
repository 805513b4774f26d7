import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { namespaceMapKey } from '../../runtime/namespace-map-key.ts';
import { type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import type { Entry } from '../entry.ts';
import { findEntry, type Memory, putOp, readEntry, transact, walkMemory } from '../memory.ts';
import type { Op } from '../store.ts';
import { isoMs } from '../times.ts';

/** A scope that several runs share. Its working notes are deleted with it. */
export interface Session {
  session_id: string;
  created_at: string;
  /** Extended while the session is in use. */
  expires_at: string;
}

export const SESSION_POLICY = Object.freeze({
  defaultTtlSeconds: 3_600,
  minTtlSeconds: 60,
  maxTtlSeconds: 86_400,
  maxPerCaller: 200,
});

const SESSION_ID = /^sess_[0-9a-f]{32}$/;

export async function openSession(
  memory: Memory,
  ttlSeconds: number = SESSION_POLICY.defaultTtlSeconds,
): Promise<Session> {
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  const { ns } = await keysOf();
  memory.limits.takeWrites(ns, 1);
  const id = `sess_${randomBytes(16).toString('hex')}`;
  const nowMs = memory.now();
  const times = { createdMs: nowMs, updatedMs: nowMs, expiresMs: nowMs + ttlSeconds * 1000 };
  // One after another for each caller, or sessions that are opened at once would exceed the quota.
  await transact(memory, keysOf, `sessions ${namespaceMapKey(ns)}`, async (keys) => {
    if ((await listSessions(memory)).length >= SESSION_POLICY.maxPerCaller) {
      throw new AppError('quota_exceeded', `At most ${SESSION_POLICY.maxPerCaller} sessions at once.`, {
        hint: 'End sessions that are no longer used.',
        retryAfterSeconds: 60,
      });
    }
    const content = { key: id, value: JSON.stringify({ ttlSeconds }) };
    const header = { id: sessionRowId(keys, id), kind: 'session', group: null } as const;
    return { ops: [putOp(keys, { ...header, content, ...times }, undefined)], result: undefined };
  });
  return { session_id: id, created_at: isoMs(nowMs), expires_at: isoMs(times.expiresMs) };
}

/** The session; `undefined` if it has ended, has expired or belongs to another caller. */
export async function findSession(memory: Memory, id: string): Promise<Session | undefined> {
  const entry = await liveSession(memory, id);
  return entry && sessionView(entry);
}

const liveSession = async (memory: Memory, id: string) =>
  SESSION_ID.test(id) ? findEntry(memory, 'session', id) : undefined;

/** The caller's live sessions, most recently used first. */
export async function listSessions(memory: Memory): Promise<Session[]> {
  const sessions: Session[] = [];
  for await (const entry of walkMemory(memory, { kinds: ['session'], newestFirst: true }))
    sessions.push(sessionView(entry));
  return sessions;
}

/** Ends a session and deletes its notes, which are its children. */
export async function endSession(memory: Memory, id: string): Promise<boolean> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys || !(await liveSession(memory, id))) return false;
  const { deleted } = await memory.store.apply(keys, [{ type: 'delete', id: sessionRowId(keys, id) }]);
  return deleted > 0;
}

/** The id of a session's row, which is the parent of the session's notes. */
export function sessionRowId(keys: NamespaceKeys, id: string): Buffer {
  return rowId(keys, 'session', id);
}

/** Renews a session in use. In one batch with a note, its precondition also ensures that the session has not ended. */
export async function renewSessionOp(memory: Memory, keys: NamespaceKeys, id: string): Promise<Op> {
  const before = (await readEntry(memory, keys, sessionRowId(keys, id))) ?? gone();
  const { id: row, kind, rev, seq: _, createdMs, updatedMs: __, expiresMs: ___, ...content } = before;
  const nowMs = memory.now();
  const expiresMs = nowMs + ttlOf(before) * 1000;
  const renewed = { id: row, kind, group: null, content, createdMs, updatedMs: nowMs, expiresMs };
  return putOp(keys, renewed, { rev });
}

/** Renews a session at the start of a run if half of its TTL is over; throws `session_unavailable` if there is none. */
export async function touchSession(memory: Memory, id: string): Promise<void> {
  const entry = (await liveSession(memory, id)) ?? gone();
  const leftMs = (entry.expiresMs ?? 0) - memory.now();
  if (leftMs > (ttlOf(entry) * 1000) / 2) return;
  const keysOf = () => memory.directory.findOrCreate(memory.caller);
  await transact(memory, keysOf, id, async (keys) => ({
    ops: [await renewSessionOp(memory, keys, id)],
    result: undefined,
  }));
}

const ttlOf = (entry: Entry) => (JSON.parse(entry.value) as { ttlSeconds: number }).ttlSeconds;

function sessionView(entry: Entry): Session {
  return {
    session_id: entry.key,
    created_at: isoMs(entry.createdMs),
    expires_at: isoMs(entry.expiresMs ?? 0),
  };
}

function gone(): never {
  throw new AppError('session_unavailable', 'There is no such session; it may have ended.', {
    reason: 'session_not_found',
  });
}
