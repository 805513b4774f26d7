import { createHash } from 'node:crypto';
import { rowId } from './crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from './memory.ts';
import { isoMs } from './times.ts';

/** What is recorded. The web UI has words for each. */
export const ACCESS_ACTIONS = [
  'read',
  'forget',
  'erase',
  'inbox.decide',
  'login',
  'login.failed',
  'password.change',
  'token.mint',
  'token.revoke',
  'application.allow',
  'application.connect',
  'application.disconnect',
  'user.add',
  'user.accept',
  'user.change',
  'user.reset',
  'user.remove',
  'space.list',
  'space.add',
  'space.change',
  'space.erase',
  'space.grant',
  'space.revoke',
  'callers.adopt',
  'clock.confirm',
  'purge',
] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];

/** An access to a caller's memory: actor, action and target. Names and counts only, never a key, a value or a token. */
export interface AccessEvent {
  action: AccessAction;
  actor: string;
  /** The actor's tenant: only its admins see its records. */
  tenant?: string;
  target?: string;
  detail?: string;
}

export interface AccessRecord extends AccessEvent {
  n: number;
  at: string;
  prev: string;
  hash: string;
}

/** Which records to list: those with exactly these names. */
export interface AccessFilter {
  actor?: string;
  target?: string;
  action?: string;
}

export interface AccessAudit {
  record(event: AccessEvent): Promise<void>;
  /** One tenant's records, newest first, before record number `beforeN`. */
  list(
    tenant: string | undefined,
    limit: number,
    beforeN?: number,
    filter?: AccessFilter,
  ): Promise<AccessRecord[]>;
  /** Verifies the whole chain; `problem` says where it breaks. */
  verify(): Promise<{ ok: boolean; records: number; problem?: string }>;
}

const RETENTION_MS = 400 * 86_400_000;
const GENESIS = '0'.repeat(64);
/** The key under which the chain tip is stored. */
const TIP_KEY = 'head';

interface ChainTip {
  n: number;
  hash: string;
}

/** A hash chain: each record contains the hash of the one before, and the chain tip holds the last number and hash. */
export function createAccessAudit(parts: MemoryParts): AccessAudit {
  const { system } = parts.directory;
  const recordKey = (n: number) => `record/${String(n).padStart(12, '0')}`;

  async function readChainTip(): Promise<{ tip: ChainTip; rev: number; atMs: number }> {
    const entry = await readEntry(parts, system, rowId(system, 'access', TIP_KEY));
    return entry
      ? { tip: JSON.parse(entry.value) as ChainTip, rev: entry.rev, atMs: entry.updatedMs }
      : { tip: { n: 0, hash: GENESIS }, rev: 0, atMs: 0 };
  }

  async function* records(newestFirst: boolean, onUnreadable?: () => void): AsyncGenerator<AccessRecord> {
    for await (const entry of walkEntries(parts, system, { kinds: ['access'], newestFirst, onUnreadable })) {
      if (entry.key !== TIP_KEY) yield JSON.parse(entry.value) as AccessRecord;
    }
  }

  // Events recorded during a write are batched into the next one, so that a busy caller does not delay the others.
  let nextBatch: { events: AccessEvent[]; written: Promise<void> } | undefined;
  let lastWritten: Promise<void> = Promise.resolve();

  function write(events: readonly AccessEvent[]): Promise<void> {
    const own = async () => system;
    return transact(parts, own, 'access-audit', async (keys) => {
      const { tip: before, rev } = await readChainTip();
      const nowMs = parts.now();
      const times = { createdMs: nowMs, updatedMs: nowMs };
      const put = (key: string, value: object, expiresMs: number | null, old?: { rev: number }) =>
        putOp(
          keys,
          {
            id: rowId(keys, 'access', key),
            kind: 'access',
            group: null,
            content: { key, value: JSON.stringify(value) },
            ...times,
            expiresMs,
          },
          old,
        );
      let tip = before;
      const ops = events.map((event) => {
        const body = { n: tip.n + 1, at: isoMs(nowMs), ...event, prev: tip.hash };
        tip = { n: body.n, hash: chainHash(body) };
        return put(recordKey(tip.n), { ...body, hash: tip.hash }, nowMs + RETENTION_MS);
      });
      ops.push(put(TIP_KEY, tip, null, { rev }));
      return { ops, result: undefined };
    });
  }

  return {
    record(event) {
      if (!nextBatch) {
        const batch = { events: [] as AccessEvent[], written: Promise.resolve() };
        batch.written = lastWritten.then(() => {
          nextBatch = undefined;
          return write(batch.events);
        });
        lastWritten = batch.written.catch(() => undefined);
        nextBatch = batch;
      }
      nextBatch.events.push(event);
      return nextBatch.written;
    },

    async list(tenant, limit, beforeN = Number.POSITIVE_INFINITY, filter = {}) {
      const found: AccessRecord[] = [];
      for await (const record of records(true)) {
        if (record.tenant === tenant && record.n < beforeN && fits(record, filter)) found.push(record);
        if (found.length === limit) break;
      }
      return found;
    },

    async verify() {
      const { tip, atMs } = await readChainTip();
      let before: AccessRecord | undefined;
      let count = 0;
      let unreadable = 0;
      for await (const record of records(false, () => unreadable++)) {
        const { hash, ...body } = record;
        if (chainHash(body) !== hash)
          return { ok: false, records: count, problem: `Record ${record.n} was changed.` };
        // Records before the oldest one may have expired; after it none may be missing.
        if (before && (record.n !== before.n + 1 || record.prev !== before.hash)) {
          return {
            ok: false,
            records: count,
            problem: `Records between ${before.n} and ${record.n} are missing.`,
          };
        }
        before = record;
        count++;
      }
      if (unreadable > 0)
        return {
          ok: false,
          records: count,
          problem: `${unreadable} records were changed and cannot be read.`,
        };
      const allExpired = before === undefined && parts.now() >= atMs + RETENTION_MS;
      if ((before?.n ?? 0) !== tip.n && !allExpired) {
        return {
          ok: false,
          records: count,
          problem: `The chain ends at record ${before?.n ?? 0} instead of ${tip.n}.`,
        };
      }
      if (before && before.hash !== tip.hash)
        return { ok: false, records: count, problem: 'The last record was replaced.' };
      return { ok: true, records: count };
    },
  };
}

function fits(record: AccessRecord, { actor, target, action }: AccessFilter): boolean {
  return (
    (actor === undefined || record.actor === actor) &&
    (target === undefined || record.target === target) &&
    (action === undefined || record.action === action)
  );
}

function chainHash(body: Omit<AccessRecord, 'hash'>): string {
  // JSON omits undefined fields, so they must not be hashed either.
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const sorted = given.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
