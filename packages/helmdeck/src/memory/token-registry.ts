import { AppError } from '../errors.ts';
import { rowId } from './crypto/sealed.ts';
import type { Entry } from './entry.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from './memory.ts';
import { type Caller, fullCallerName, isSameCaller } from './namespace.ts';
import {
  createRevocationIndex,
  isRevokedBy,
  type Revocation,
  revocationKey,
  type TokenClaims,
} from './revocations.ts';
import { isoMs } from './times.ts';

/** The record of a token minted here: everything but the token itself. */
export interface TokenRecord {
  jti: string;
  issuer?: string;
  subject: string;
  tenant?: string;
  name?: string;
  client?: string;
  scopes: string[];
  /** The spaces that it is narrowed to; absent if it is not. */
  spaces?: string[];
  createdMs: number;
  expiresMs: number;
  revokedMs?: number;
  /** Set if the record is an application's connection: its access tokens all have the id of the record, and last an hour each. */
  grant?: ApplicationGrant;
  /** The caller that minted it, of the same tenant, and its token: revoking that one revokes this one. Absent for a login. */
  minter?: { issuer?: string; subject: string; jti?: string };
}

/** What a person granted to an application over OAuth. */
export interface ApplicationGrant {
  clientId: string;
  /** Where the application was sent to after the consent, as people are shown it. */
  redirectHost: string;
  /** The URL that its access tokens are for. */
  resource: string;
  /** Counts refresh tokens: only the latest is valid, and an earlier one proves that it was copied. */
  generation: number;
}

export interface TokenView {
  jti: string;
  /** As admins name it: `<issuer>#<subject>` for the subject of an identity provider. */
  subject: string;
  name?: string;
  client?: string;
  scopes: string[];
  spaces?: string[];
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Set if an application was connected over OAuth. */
  application?: { client_id: string; redirect_host: string; resource: string };
}

/** The tokens this server minted. A revoked token stays listed as revoked until it would have expired. */
export interface TokenRegistry {
  /** Throws `quota_exceeded` if its caller has too many that were minted with a token. */
  add(record: TokenRecord): Promise<void>;
  find(jti: string): Promise<TokenRecord | undefined>;
  /** Newest first: those of one caller, or of a whole tenant. */
  list(owner?: { issuer?: string; subject?: string; tenant?: string }): Promise<TokenView[]>;
  /** Revokes one token and nothing that it minted; false if it is unknown. */
  revoke(jti: string): Promise<boolean>;
  /** Revokes a token of this registry and what was minted with it, and so on; returns how many. */
  revokeWithMinted(jti: string): Promise<number>;
  /** Refuses tokens from now on, wherever they were minted, and what was minted with them; returns how many were known here. */
  refuse(revocation: Revocation): Promise<number>;
  isRevoked(token: TokenClaims): boolean;
  /** Moves an application's connection to its next refresh token, unless it has ended or that token was used before. */
  renewGrant(jti: string, generation: number, expiresMs: number): Promise<'renewed' | 'reused' | 'ended'>;
  /** Records that a token was used; buffered in RAM and written by `flush`. */
  used(jti: string): void;
  flush(): Promise<void>;
  /** Reads what other processes wrote since the last call, so that a token revoked elsewhere is revoked here. */
  refresh(): Promise<void>;
}

const TOKEN_POLICY = Object.freeze({
  /** Live tokens of one caller that were minted with a token; logins do not count. */
  maxMintedPerCaller: 200,
  /** Revocations by id of tokens that are unknown here, per caller that is not an admin. */
  maxRevocationsPerCaller: 200,
});

const QUEUE = 'token-registry';
/** How long tokens that are unknown here stay refused: longer than any that is worth signing. */
const REVOCATION_MS = 10 * 365 * 86_400_000;

type Stored = TokenRecord & { lastUsedMs?: number };

/** `isBlocked`: whether all tokens of a caller are refused for now, such as those of a disabled account. */
export async function openTokenRegistry(
  parts: MemoryParts,
  isBlocked: (caller: Caller) => boolean = () => false,
): Promise<TokenRegistry> {
  const { system } = parts.directory;
  const records = new Map<string, Stored>();
  /** Revoked tokens by expiry. Apart from `records`, so that an older row read late never makes one valid again. */
  const revoked = new Map<string, number>();
  const revocations = createRevocationIndex();
  /** Used tokens since the last flush, and those of other signers until then. */
  const lastUsedMs = new Map<string, number>();
  const unflushed = new Set<string>();

  function learn(record: Stored): void {
    const usedMs = Math.max(record.lastUsedMs ?? 0, lastUsedMs.get(record.jti) ?? 0);
    if (usedMs > 0) lastUsedMs.set(record.jti, usedMs);
    if (record.revokedMs !== undefined) revoked.set(record.jti, record.expiresMs);
    records.set(record.jti, record);
  }

  let seenSeq = 0;
  async function refresh(): Promise<void> {
    // The position is read first: rows written during the scan are read again next time, never missed.
    const { seq } = await parts.store.position(system.ns);
    if (seq === seenSeq) return;
    const written = walkEntries(parts, system, { kinds: ['token', 'revocation'], afterSeq: seenSeq });
    for await (const entry of written) {
      if (entry.kind === 'token') learn(JSON.parse(entry.value) as Stored);
      else revocations.put(JSON.parse(entry.value) as Revocation, entry.expiresMs!);
    }
    seenSeq = Math.max(seenSeq, seq);
  }
  await refresh();

  /** Writes what `change` returns for the stored row; writes nothing if that is `undefined`. */
  function write<T>(
    kind: 'token' | 'revocation',
    key: string,
    change: (before: T | undefined) => { value: T; createdMs: number; expiresMs: number } | undefined,
  ): Promise<T | undefined> {
    return transact(
      parts,
      async () => system,
      QUEUE,
      async (keys) => {
        const id = rowId(keys, kind, key);
        const before: Entry | undefined = await readEntry(parts, keys, id);
        const after = change(before && (JSON.parse(before.value) as T));
        if (!after) return { ops: [], result: undefined };
        const times = { createdMs: after.createdMs, updatedMs: parts.now(), expiresMs: after.expiresMs };
        const content = { key, value: JSON.stringify(after.value) };
        const op = putOp(keys, { id, kind, group: null, content, ...times }, before);
        return { ops: [op], result: after.value };
      },
    );
  }

  async function update(
    jti: string,
    change: (record: Stored | undefined) => Stored | undefined,
  ): Promise<Stored | undefined> {
    const record = await write<Stored>('token', jti, (before) => {
      const value = change(before);
      return value && { value, createdMs: value.createdMs, expiresMs: value.expiresMs };
    });
    if (record) learn(record);
    return record;
  }

  const isLive = ({ expiresMs }: TokenRecord) => expiresMs > parts.now();

  function assertQuota(record: TokenRecord): void {
    if (!record.minter) return;
    let count = 0;
    for (const each of records.values()) {
      const counts = each.minter && each.jti !== record.jti && isSameCaller(each, record);
      if (counts && isLive(each) && !revoked.has(each.jti)) count++;
    }
    if (count < TOKEN_POLICY.maxMintedPerCaller) return;
    throw new AppError(
      'quota_exceeded',
      `At most ${TOKEN_POLICY.maxMintedPerCaller} tokens of one subject.`,
      {
        hint: 'Revoke tokens that are no longer used.',
        retryAfterSeconds: 60,
      },
    );
  }

  const markRevoked = (jti: string) =>
    update(jti, (record) => record && { ...record, revokedMs: record.revokedMs ?? parts.now() });

  /** Revokes the tokens that match and, transitively, what was minted with them; returns how many. */
  async function revokeMatching(matches: (record: Stored) => boolean): Promise<number> {
    let count = 0;
    for (;;) {
      await refresh(); // sees tokens minted meanwhile; one that is not written yet is checked by its minting after that
      const found = new Set<string>();
      for (const record of records.values()) if (matches(record)) found.add(record.jti);
      for (let before = -1; before !== found.size; ) {
        before = found.size;
        for (const { jti, minter } of records.values())
          if (minter?.jti !== undefined && found.has(minter.jti)) found.add(jti);
      }
      const valid = [...found].filter((jti) => !revoked.has(jti));
      if (valid.length === 0) return count;
      for (const jti of valid) {
        if (await markRevoked(jti)) count++;
        else records.delete(jti); // expired meanwhile
      }
    }
  }

  function assertMayRefuse({ scopes, caller, tenant, jti }: Revocation): void {
    if (scopes === undefined || !caller || jti === undefined) return;
    if (revocations.countOf({ ...caller, tenant }, scopes) < TOKEN_POLICY.maxRevocationsPerCaller) return;
    throw new AppError(
      'quota_exceeded',
      `At most ${TOKEN_POLICY.maxRevocationsPerCaller} revocations of tokens that were not minted here.`,
      { hint: 'Revoke all of your tokens up to a time instead, or ask an admin.', retryAfterSeconds: 60 },
    );
  }

  return {
    async find(jti) {
      const entry = await readEntry(parts, system, rowId(system, 'token', jti));
      return entry && (JSON.parse(entry.value) as Stored);
    },
    refresh,
    async add(record) {
      if (record.minter) await refresh();
      try {
        await update(record.jti, () => {
          assertQuota(record);
          records.set(record.jti, record); // counted at once: the next one may be checked before this is committed
          return record;
        });
      } catch (thrown) {
        records.delete(record.jti);
        throw thrown;
      }
    },
    async list(owner) {
      await refresh();
      const isOwned = (record: Stored) =>
        !owner ||
        (owner.subject === undefined
          ? record.tenant === owner.tenant
          : isSameCaller(record, owner as Caller));
      return [...records.values()]
        .filter((record) => isLive(record) && isOwned(record))
        .sort((a, b) => b.createdMs - a.createdMs)
        .map((record) => tokenView(record, lastUsedMs.get(record.jti)));
    },
    revoke: async (jti) => (await markRevoked(jti)) !== undefined,
    revokeWithMinted: (jti) => revokeMatching((record) => record.jti === jti),
    async refuse(revocation) {
      await refresh();
      assertMayRefuse(revocation);
      const nowMs = parts.now();
      const expiresMs = nowMs + REVOCATION_MS;
      const written = await write<Revocation>('revocation', revocationKey(revocation), (before) => {
        const issuedUntilMs = Math.max(before?.issuedUntilMs ?? 0, revocation.issuedUntilMs ?? 0);
        const value = revocation.issuedUntilMs === undefined ? revocation : { ...revocation, issuedUntilMs };
        return { value, createdMs: nowMs, expiresMs };
      });
      revocations.put(written!, expiresMs);
      return revokeMatching(
        (record) => isRevokedBy(revocation, claimsOf(record)) || isMintedBy(revocation, record),
      );
    },
    isRevoked: (token) =>
      (token.jti !== undefined && revoked.has(token.jti)) ||
      revocations.has(token) ||
      isBlocked(token.caller),
    async renewGrant(jti, generation, expiresMs) {
      let outcome: 'renewed' | 'reused' | 'ended' = 'ended';
      await update(jti, (record) => {
        const { grant } = record ?? {};
        if (!record || !grant || record.revokedMs !== undefined) outcome = 'ended';
        else outcome = grant.generation === generation ? 'renewed' : 'reused';
        return outcome === 'renewed'
          ? { ...record!, expiresMs, grant: { ...grant!, generation: generation + 1 } }
          : undefined;
      });
      return outcome;
    },
    used(jti) {
      lastUsedMs.set(jti, parts.now());
      unflushed.add(jti);
    },
    async flush() {
      const jtis = [...unflushed];
      unflushed.clear();
      for (const jti of jtis) {
        const known = await update(
          jti,
          (record) =>
            record && { ...record, lastUsedMs: Math.max(record.lastUsedMs ?? 0, lastUsedMs.get(jti) ?? 0) },
        );
        if (!known) lastUsedMs.delete(jti); // not minted by this server
      }
      for (const [jti, expiresMs] of revoked) if (expiresMs <= parts.now()) revoked.delete(jti);
      for (const [jti, record] of records) {
        if (isLive(record)) continue;
        records.delete(jti);
        lastUsedMs.delete(jti);
      }
      revocations.dropExpired(parts.now());
    },
  };
}

const claimsOf = (record: TokenRecord): TokenClaims => ({
  caller: record,
  jti: record.jti,
  scopes: new Set(record.scopes),
  issuedMs: record.createdMs,
});

/** Whether a token was minted with one that the revocation is about. */
function isMintedBy(revocation: Revocation, { minter, tenant, scopes, createdMs }: TokenRecord): boolean {
  if (!minter) return false;
  const { jti, issuer, subject } = minter;
  // The minting token was issued before: if the minted one falls under the time limit, so does it.
  const token = { caller: { issuer, tenant, subject }, jti, scopes: new Set(scopes), issuedMs: createdMs };
  return isRevokedBy(revocation, token);
}

function tokenView(record: TokenRecord, lastUsedMs: number | undefined): TokenView {
  const { grant } = record;
  return {
    jti: record.jti,
    subject: fullCallerName(record),
    name: record.name,
    client: record.client,
    scopes: record.scopes,
    ...(record.spaces ? { spaces: record.spaces } : {}),
    created_at: isoMs(record.createdMs),
    expires_at: isoMs(record.expiresMs),
    last_used_at: lastUsedMs === undefined ? null : isoMs(lastUsedMs),
    revoked_at: record.revokedMs === undefined ? null : isoMs(record.revokedMs),
    ...(grant
      ? {
          application: {
            client_id: grant.clientId,
            redirect_host: grant.redirectHost,
            resource: grant.resource,
          },
        }
      : {}),
  };
}
