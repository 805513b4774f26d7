import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { rowId } from '../crypto/sealed.ts';
import type { Entry, Kind } from '../entry.ts';
import { destroyNamespace } from '../erase/erase-memory.ts';
import type { Quota } from '../limits.ts';
import { type MemoryParts, type Plan, putOp, readEntry, transact, walkEntries } from '../memory.ts';
import { type Caller, namespaceOf } from '../namespace.ts';
import type { Op } from '../store.ts';
import {
  type Grant,
  type GrantedSpace,
  type Principal,
  principalKey,
  type Space,
  type SpaceAccess,
  type SpaceRole,
  unknownSpace,
} from './space.ts';
import { createSpaceIndex, type StoredGrant, type StoredMember } from './space-index.ts';

/** What an admin may set. `null`: back to the configuration. */
export interface SpaceQuota {
  quotaFacts?: number | null;
  quotaBytes?: number | null;
}

/**
 * The spaces of this server and who may use them. All are in RAM; spaces, grants and aliases are sealed rows of the
 * system namespace. Whoever works in a space gets it from `find`, on each request: nothing else leads to its namespace.
 */
export interface Spaces {
  /** The space of this name among those that an identity was granted. */
  find(access: SpaceAccess, slug: string, options?: { evenErasing?: true }): GrantedSpace | undefined;
  /** What an identity was granted, by slug. */
  list(access: SpaceAccess): GrantedSpace[];
  /** All spaces of a tenant, for its admins. */
  all(tenant: string | undefined): Promise<Space[]>;
  /** Throws `conflict` if the tenant has a space of this name. */
  create(space: { slug: string; owner: Caller } & SpaceQuota): Promise<Space>;
  change(space: Space, quota: SpaceQuota): Promise<Space>;
  grants(space: Space): Promise<Grant[]>;
  /** Throws `conflict` if nobody would be left who owns the space for good; so does `revoke`. */
  grant(
    space: Space,
    grant: { principal: Principal; role: SpaceRole; expiresMs: number | null; by: Caller },
  ): Promise<Grant>;
  /** Returns whether there was such a grant. */
  revoke(space: Space, principal: Principal): Promise<boolean>;
  /** The alias under which a person writes to a space; made on first use. */
  aliasOf(space: Space, caller: Caller): Promise<string>;
  nameOf(alias: string): string;
  quotaOf(ns: Uint8Array): Quota | undefined;
  /** The first step of an erase: nobody gets in any more. */
  close(space: Space): Promise<Space>;
  /** The last step of an erase: deletes the space's row, and its grants and aliases with it. */
  remove(space: Space): Promise<void>;
  /** Deletes a person's grants and the names of their aliases in one write; returns how many rows. */
  forgetPerson(caller: Caller): Promise<number>;
  /** Reads what other processes wrote since the last call. */
  refresh(): Promise<void>;
}

const QUEUE = 'spaces';
const KINDS = ['space', 'space-grant', 'space-member'] as const satisfies readonly Kind[];

/** `groupsOf`: the groups of an identity provider that a caller is in. */
export async function openSpaces(
  parts: MemoryParts,
  groupsOf: (caller: Caller) => readonly string[],
): Promise<Spaces> {
  const { store, directory, now } = parts;
  const { system } = directory;
  const index = createSpaceIndex(now, directory.idOf);
  const spaceRowId = (tenant: string | undefined, slug: string) =>
    rowId(system, 'space', JSON.stringify([tenant ?? null, slug]));
  const childRowId = (kind: Kind, { caller }: Space, name: string) =>
    rowId(system, kind, `${caller.space} ${name}`);
  const memberRowId = (space: Space, caller: Caller) =>
    childRowId('space-member', space, namespaceOf(caller).toString('base64'));

  function learn(entry: Pick<Entry, 'id' | 'kind' | 'value'>): void {
    const row = { ...JSON.parse(entry.value), rowId: hex(entry.id) };
    if (entry.kind === 'space') index.learnSpace(row as Space);
    else if (entry.kind === 'space-grant') index.learnGrant(row as StoredGrant);
    else index.learnMember(row as StoredMember);
  }

  let seen = { seq: 0, epoch: -1 };
  async function refresh(): Promise<void> {
    // The position is read first: rows written during the scan are read again next time, never missed.
    const position = await store.position(system.ns);
    if (position.seq === seen.seq && position.epoch === seen.epoch) return;
    const isContinued = position.epoch === seen.epoch;
    const afterSeq = isContinued ? seen.seq : 0;
    const gone = new Set(isContinued ? [] : index.rowIds());
    if (isContinued) for (const { id } of await store.tombstones(system.ns, afterSeq)) gone.add(hex(id));
    const found: Entry[] = [];
    for await (const entry of walkEntries(parts, system, { kinds: KINDS, afterSeq })) found.push(entry);
    // Spaces first: a grant of an unknown one does not count.
    found.sort((a, b) => Number(b.kind === 'space') - Number(a.kind === 'space'));
    for (const entry of found) gone.delete(hex(entry.id));
    for (const id of gone) index.forgetRow(id);
    for (const entry of found) learn(entry);
    seen = position;
  }
  await refresh();

  function put(
    kind: Kind,
    id: Buffer,
    value: object,
    { group = null, expiresMs = null }: { group?: Buffer | null; expiresMs?: number | null },
    before: Entry | { rev: number; createdMs?: number } | undefined,
  ): Op {
    const times = { createdMs: before?.createdMs ?? now(), updatedMs: now(), expiresMs };
    const content = { key: '', value: JSON.stringify({ ...value, rowId: undefined }) };
    return putOp(system, { id, kind, group, content, ...times }, before);
  }

  /** Every change of a space also writes its row, so that none is made to a space that is erased meanwhile. */
  async function changeSpace<T>(
    space: Space,
    plan: (current: Space) => Promise<Plan<T> & { space?: Space; learned?: () => void }>,
  ): Promise<T> {
    const id = Buffer.from(space.rowId, 'hex');
    const planned = await transact(
      parts,
      async () => system,
      QUEUE,
      async () => {
        const entry = await readEntry(parts, system, id);
        const current = entry && ({ ...JSON.parse(entry.value), rowId: space.rowId } as Space);
        if (!current || current.caller.space !== space.caller.space) throw unknownSpace();
        const change = await plan(current);
        const after = change.space ?? current;
        const isChanged = change.space !== undefined || change.ops.length > 0;
        const ops = isChanged ? [put('space', id, after, {}, entry), ...change.ops] : [];
        return { ops, result: { ...change, after } };
      },
    );
    index.learnSpace(planned.after);
    planned.learned?.();
    return planned.result;
  }

  /** The alias of a person, and the row to write if it is new. */
  async function memberOf(space: Space, caller: Caller) {
    const id = memberRowId(space, caller);
    const entry = await readEntry(parts, system, id);
    const known = entry && (JSON.parse(entry.value) as StoredMember);
    if (known) return { alias: known.alias, ops: [], learned: () => learn(entry) };
    const alias = newAlias();
    const { issuer, tenant, subject } = caller;
    const member = { spaceId: space.caller.space, alias, caller: { issuer, tenant, subject } };
    const value = JSON.stringify(member);
    const group = Buffer.from(space.rowId, 'hex');
    return {
      alias,
      ops: [put('space-member', id, member, { group }, undefined)],
      learned: () => learn({ id, kind: 'space-member', value }),
    };
  }

  function grantOps(space: Space, grant: Grant, before: { rev: number } | undefined) {
    const id = childRowId('space-grant', space, principalKey(grant.principal));
    const stored = { ...grant, spaceId: space.caller.space };
    const group = Buffer.from(space.rowId, 'hex');
    return {
      ops: [put('space-grant', id, stored, { group, expiresMs: grant.expiresMs }, before)],
      learned: () => learn({ id, kind: 'space-grant', value: JSON.stringify(stored) }),
    };
  }

  async function storedGrants(space: Space): Promise<StoredGrant[]> {
    await refresh();
    return index.grantsOf(space);
  }

  async function assertOwned(space: Space, without: Principal): Promise<void> {
    const ownsForGood = ({ role, expiresMs }: Grant) => role === 'owner' && expiresMs === null;
    const owners = (await storedGrants(space)).filter(ownsForGood);
    const others = owners.filter(({ principal }) => principalKey(principal) !== principalKey(without));
    if (others.length > 0 || owners.length === 0) return;
    throw new AppError('conflict', 'A space needs an owner whose grant does not expire.', {
      reason: 'last_owner',
      hint: 'Make somebody else an owner first, or erase the space.',
    });
  }

  return {
    refresh,
    find({ caller, spaces }, slug, { evenErasing } = {}) {
      const found = index.find({ caller }, groupsOf(caller), slug);
      if (!found || (found.space.erasing && !evenErasing)) return undefined;
      return spaces === undefined || spaces.has(slug) ? found : undefined;
    },
    list: ({ caller, spaces }) =>
      index
        .list({ caller }, groupsOf(caller))
        .filter(({ space }) => !space.erasing && (spaces === undefined || spaces.has(space.slug)))
        .sort((a, b) => (a.space.slug < b.space.slug ? -1 : 1)),
    async all(tenant) {
      await refresh();
      return index
        .all()
        .filter((space) => space.tenant === tenant)
        .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    },
    async create({ slug, owner, quotaFacts, quotaBytes }) {
      const { tenant } = owner;
      const id = spaceRowId(tenant, slug);
      const caller = { space: randomBytes(16).toString('hex'), subject: undefined };
      const quota = withQuota({}, { quotaFacts, quotaBytes });
      const space: Space = { rowId: hex(id), caller, slug, tenant, createdMs: now(), ...quota };
      const keys = await directory.create(caller);
      try {
        const learned = await transact(
          parts,
          async () => system,
          QUEUE,
          async () => {
            if (await readEntry(parts, system, id))
              throw new AppError('conflict', 'There is a space of this name already.', {
                reason: 'slug_taken',
              });
            const member = await memberOf(space, owner);
            const grant = {
              role: 'owner',
              principal: { caller: owner },
              by: member.alias,
              atMs: now(),
              expiresMs: null,
            };
            const granted = grantOps(space, grant as Grant, undefined);
            return {
              ops: [put('space', id, space, {}, undefined), ...member.ops, ...granted.ops],
              result: [member.learned, granted.learned],
            };
          },
        );
        index.learnSpace(space);
        for (const each of learned) each();
      } catch (thrown) {
        await destroyNamespace(store, directory, keys.ns);
        throw thrown;
      }
      return index.byRow(space.rowId)!;
    },
    change: (space, quota) =>
      changeSpace(space, async (current) => {
        const after = withQuota(current, quota);
        return { ops: [], result: after, space: after };
      }),
    grants: storedGrants,
    async grant(space, { principal, role, expiresMs, by }) {
      return changeSpace(space, async (current) => {
        if (current.erasing) throw unknownSpace();
        if (role !== 'owner' || expiresMs !== null) await assertOwned(space, principal);
        const member = await memberOf(space, by);
        const grant: Grant = { role, principal, by: member.alias, atMs: now(), expiresMs };
        const before = await store.get(system.ns, childRowId('space-grant', space, principalKey(principal)));
        const granted = grantOps(space, grant, before);
        const learned = () => {
          member.learned();
          granted.learned();
        };
        return { ops: [...member.ops, ...granted.ops], result: grant, learned };
      });
    },
    async revoke(space, principal) {
      const id = childRowId('space-grant', space, principalKey(principal));
      return changeSpace(space, async () => {
        await assertOwned(space, principal);
        const before = await store.get(system.ns, id);
        const learned = () => index.forgetRow(hex(id));
        if (!before) return { ops: [], result: false, learned };
        return { ops: [{ type: 'delete', id, ifRev: before.rev }], result: true, learned };
      });
    },
    async aliasOf(space, caller) {
      const known = index.member(hex(memberRowId(space, caller)));
      if (known) return known.alias;
      return changeSpace(space, async (current) => {
        if (current.erasing) throw unknownSpace();
        const { alias, ops, learned } = await memberOf(space, caller);
        return { ops, result: alias, learned };
      });
    },
    nameOf: index.nameOf,
    quotaOf: (ns) => index.byNamespace(ns),
    close: (space) =>
      changeSpace(space, async (current) => {
        const after: Space = { ...current, erasing: true };
        return { ops: [], result: after, space: after };
      }),
    async remove(space) {
      await store.apply(system, [{ type: 'delete', id: Buffer.from(space.rowId, 'hex') }]);
      // Once more, although it is gone: a drop also takes the deleted rows out of the files of the database.
      await destroyNamespace(store, directory, directory.idOf(space.caller));
      index.forgetRow(space.rowId);
    },
    async forgetPerson(caller) {
      await refresh();
      const rows = index.rowsOf(caller);
      if (rows.length === 0) return 0;
      await store.apply(
        system,
        rows.map((id) => ({ type: 'delete', id: Buffer.from(id, 'hex') })),
      );
      for (const id of rows) index.forgetRow(id);
      return rows.length;
    },
  };
}

function withQuota<T extends object>(before: T & Quota, { quotaFacts, quotaBytes }: SpaceQuota): T & Quota {
  const after = { ...before };
  if (quotaFacts !== undefined) after.quotaFacts = quotaFacts ?? undefined;
  if (quotaBytes !== undefined) after.quotaBytes = quotaBytes ?? undefined;
  return after;
}

/** Random, so that somebody who comes back after an erase does not get their earlier name back. */
const newAlias = () => `member-${randomBytes(6).toString('hex')}`;
const hex = (id: Uint8Array) => Buffer.from(id).toString('hex');
