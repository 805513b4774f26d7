import { rowId } from './crypto/sealed.ts';
import { isoMs } from './facts/remember.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from './memory.ts';

/** The record of a token minted here: everything but the token itself. */
export interface TokenRecord {
  jti: string;
  subject: string;
  tenant?: string;
  name?: string;
  client?: string;
  scopes: string[];
  createdMs: number;
  expiresMs: number;
  revokedMs?: number;
}

export interface TokenView {
  jti: string;
  subject: string;
  name?: string;
  client?: string;
  scopes: string[];
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** The tokens this server minted. A revoked token stays listed as revoked until it would have expired. */
export interface TokenRegistry {
  add(record: TokenRecord): Promise<void>;
  find(jti: string): Promise<TokenRecord | undefined>;
  /** Newest first: those of one subject, or of a whole tenant. */
  list(owner?: { subject?: string; tenant?: string }): Promise<TokenView[]>;
  revoke(jti: string): Promise<boolean>;
  isRevoked(jti: string): boolean;
  /** Records that a token was used; buffered in RAM and written by `flush`. */
  used(jti: string): void;
  flush(): Promise<void>;
  /** Reads what other processes wrote since the last call, so that a token revoked elsewhere is revoked here. */
  refresh(): Promise<void>;
}

const QUEUE = 'token-registry';

export async function openTokenRegistry(parts: MemoryParts): Promise<TokenRegistry> {
  const { system } = parts.directory;
  /** Revoked tokens by expiry. */
  const revoked = new Map<string, number>();
  /** Used tokens by expiry. */
  const expiries = new Map<string, number>();
  const lastUsedMs = new Map<string, number>();
  const unflushed = new Set<string>();

  type Stored = TokenRecord & { lastUsedMs?: number };

  async function* stored(afterSeq = 0): AsyncGenerator<Stored> {
    for await (const entry of walkEntries(parts, system, { kinds: ['token'], afterSeq }))
      yield JSON.parse(entry.value) as Stored;
  }
  let seenSeq = 0;
  async function refresh(): Promise<void> {
    // The position is read first: rows written during the scan are read again next time, never missed.
    const { seq } = await parts.store.position(system.ns);
    if (seq === seenSeq) return;
    for await (const record of stored(seenSeq)) {
      if (record.revokedMs !== undefined) revoked.set(record.jti, record.expiresMs);
      if (record.lastUsedMs !== undefined) {
        lastUsedMs.set(record.jti, Math.max(record.lastUsedMs, lastUsedMs.get(record.jti) ?? 0));
        expiries.set(record.jti, record.expiresMs);
      }
    }
    seenSeq = seq;
  }
  await refresh();

  async function find(jti: string): Promise<Stored | undefined> {
    const entry = await readEntry(parts, system, rowId(system, 'token', jti));
    return entry && (JSON.parse(entry.value) as Stored);
  }

  /** Writes what `change` returns for the stored record; writes nothing if that is `undefined`. */
  function update(jti: string, change: (record: Stored | undefined) => Stored | undefined): Promise<boolean> {
    return transact(
      parts,
      async () => system,
      QUEUE,
      async (keys) => {
        const id = rowId(keys, 'token', jti);
        const before = await readEntry(parts, keys, id);
        const record = change(before && (JSON.parse(before.value) as Stored));
        if (!record) return { ops: [], result: false };
        const times = { createdMs: record.createdMs, updatedMs: parts.now(), expiresMs: record.expiresMs };
        const content = { key: jti, value: JSON.stringify(record) };
        return {
          ops: [putOp(keys, { id, kind: 'token', group: null, content, ...times }, before)],
          result: true,
        };
      },
    );
  }

  function dropUse(jti: string): void {
    expiries.delete(jti);
    lastUsedMs.delete(jti);
  }

  return {
    find,
    refresh,
    async add(record) {
      await update(record.jti, () => record);
    },
    async list(owner) {
      const views: TokenView[] = [];
      for await (const record of stored()) {
        if (owner && record.tenant !== owner.tenant) continue;
        if (owner?.subject !== undefined && record.subject !== owner.subject) continue;
        views.push(tokenView(record, lastUsedMs.get(record.jti)));
      }
      return views.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    },
    async revoke(jti) {
      const done = await update(
        jti,
        (record) => record && { ...record, revokedMs: record.revokedMs ?? parts.now() },
      );
      const record = done ? await find(jti) : undefined;
      if (record) revoked.set(jti, record.expiresMs);
      return done;
    },
    isRevoked: (jti) => revoked.has(jti),
    used(jti) {
      lastUsedMs.set(jti, parts.now());
      unflushed.add(jti);
    },
    async flush() {
      const jtis = [...unflushed];
      unflushed.clear();
      for (const jti of jtis) {
        const known = await update(jti, (record) => {
          if (record) expiries.set(jti, record.expiresMs);
          const usedMs = Math.max(record?.lastUsedMs ?? 0, lastUsedMs.get(jti) ?? 0);
          return record && { ...record, lastUsedMs: usedMs };
        });
        if (!known) lastUsedMs.delete(jti); // not minted by this server
      }
      const isExpired = (expiresMs: number) => expiresMs <= parts.now();
      for (const [jti, expiresMs] of revoked) if (isExpired(expiresMs)) revoked.delete(jti);
      for (const [jti, expiresMs] of expiries) if (isExpired(expiresMs)) dropUse(jti);
    },
  };
}

function tokenView(record: TokenRecord, lastUsedMs: number | undefined): TokenView {
  return {
    jti: record.jti,
    subject: record.subject,
    name: record.name,
    client: record.client,
    scopes: record.scopes,
    created_at: isoMs(record.createdMs),
    expires_at: isoMs(record.expiresMs),
    last_used_at: lastUsedMs === undefined ? null : isoMs(lastUsedMs),
    revoked_at: record.revokedMs === undefined ? null : isoMs(record.revokedMs),
  };
}
