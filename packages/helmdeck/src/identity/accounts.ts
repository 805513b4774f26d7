import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';
import { rowId } from '../memory/crypto/sealed.ts';
import { type MemoryParts, putOp, readEntry, transact, walkEntries } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { type Account, callerOfAccount, type Role, stateOf } from './account.ts';
import { assertPassword, hashPassword, isPassword } from './passwords.ts';

/** What an identity provider says about a person who signs in. */
export interface ExternalPerson {
  issuer: string;
  subject: string;
  displayName?: string;
  groups?: string[];
}

export interface Invitation {
  /** Goes into the link; only its hash is stored. */
  token: string;
  expiresMs: number;
}

/** What an admin may change. `null`: back to the default. */
export interface AccountChange {
  displayName?: string | null;
  role?: Role;
  disabled?: boolean;
  quotaFacts?: number | null;
  quotaBytes?: number | null;
}

/** The accounts of this server. All are in RAM; every change is a compare-and-set of the account's sealed row. */
export interface Accounts {
  /** By name. */
  list(): Promise<Account[]>;
  /** Throws `not_found`. */
  get(id: string): Promise<Account>;
  /** The account of a caller, as this process last read it. */
  of(caller: Caller): Account | undefined;
  isDisabled(caller: Caller): boolean;
  /** The quotas of the account that this namespace belongs to, if it has its own. */
  quotaOf(ns: Uint8Array): Pick<Account, 'quotaFacts' | 'quotaBytes'> | undefined;
  /** Whether anyone can sign in with a password. */
  havePasswords(): Promise<boolean>;
  /** Throws `conflict` if the name is taken, in whatever case. */
  add(person: { name: string; displayName?: string; role: Role }): Promise<{
    account: Account;
    invitation: Invitation;
  }>;
  change(id: string, change: AccountChange): Promise<Account>;
  /** A new invitation: earlier ones and the password end. */
  reset(id: string): Promise<{ account: Account; invitation: Invitation }>;
  remove(id: string): Promise<void>;
  /** The account that an invitation is for; undefined if it is wrong, was used or has expired. */
  invited(token: string): Promise<Account | undefined>;
  /** Sets the password that an invitation was sent for, once. */
  accept(token: string, password: unknown): Promise<Account | undefined>;
  /** The account with this name and password, if it may sign in. Takes the same time whatever is wrong. */
  checkPassword(name: string, password: string): Promise<Account | undefined>;
  /** Replaces a password. Throws `conflict` if there is none, because an invitation must set it. */
  setPassword(id: string, password: unknown): Promise<Account>;
  /** The account of a person whom the identity provider vouches for; the first sign-in makes it. */
  signInExternal(person: ExternalPerson & { caller: Caller & { subject: string } }): Promise<Account>;
  /** Remembers that someone signed in just now. */
  signedIn(id: string): Promise<Account>;
  /** Reads what other processes wrote since the last call. */
  refresh(): Promise<void>;
}

const QUEUE = 'accounts';
const INVITATION_MS = 72 * 3_600_000;
const SECRET_BYTES = 32;

export async function openAccounts(parts: MemoryParts): Promise<Accounts> {
  const { store, directory, now } = parts;
  const { system } = directory;
  const byId = new Map<string, Account>();
  /** The accounts again, by namespace, and those of them that every request or write asks for. */
  const byNamespace = new Map<string, Account>();
  const disabled = new Set<string>();
  const withQuota = new Set<string>();
  const nsOf = (caller: Caller) => namespaceMapKey(directory.idOf(caller));

  function forget(id: string): void {
    const known = byId.get(id);
    if (!known) return;
    const ns = nsOf(callerOfAccount(known));
    byId.delete(id);
    for (const index of [byNamespace, disabled, withQuota]) index.delete(ns);
  }

  function learn(account: Account): void {
    forget(account.id);
    const ns = nsOf(callerOfAccount(account));
    byId.set(account.id, account);
    byNamespace.set(ns, account);
    if (account.disabled) disabled.add(ns);
    if (account.quotaFacts !== undefined || account.quotaBytes !== undefined) withQuota.add(ns);
  }

  let seen = { seq: 0, epoch: -1 };
  async function refresh(): Promise<void> {
    // The position is read first: rows written during the scan are read again next time, never missed.
    const position = await store.position(system.ns);
    if (position.seq === seen.seq && position.epoch === seen.epoch) return;
    const isContinued = position.epoch === seen.epoch;
    const afterSeq = isContinued ? seen.seq : 0;
    const gone = new Set(byId.keys());
    if (isContinued) {
      gone.clear();
      for (const { id } of await store.tombstones(system.ns, afterSeq)) gone.add(hex(id));
    }
    for await (const entry of walkEntries(parts, system, { kinds: ['account'], afterSeq })) {
      const account = accountOf(entry);
      gone.delete(account.id);
      learn(account);
    }
    for (const id of gone) forget(id);
    seen = position;
  }
  await refresh();

  /** Writes what `change` makes of the stored account; `undefined` deletes it. */
  async function write(
    id: Buffer,
    change: (before: Account | undefined) => Account | undefined,
  ): Promise<Account | undefined> {
    const after = await transact(
      parts,
      async () => system,
      QUEUE,
      async (keys) => {
        const before = await readEntry(parts, keys, id);
        const account = change(before && accountOf(before));
        if (!account)
          return {
            ops: before ? [{ type: 'delete' as const, id, ifRev: before.rev }] : [],
            result: undefined,
          };
        const { id: _, ...stored } = account;
        const times = { createdMs: account.createdMs, updatedMs: now(), expiresMs: null };
        const content = { key: rowKey(account), value: JSON.stringify(stored) };
        const op = putOp(keys, { id, kind: 'account', group: null, content, ...times }, before);
        return { ops: [op], result: account };
      },
    );
    if (after) learn(after);
    else forget(hex(id));
    return after;
  }

  async function update(id: string, change: (before: Account) => Account): Promise<Account> {
    const after = await write(Buffer.from(id, 'hex'), (before) => {
      if (!before) throw notFound();
      return change(before);
    });
    return after!;
  }

  async function get(id: string): Promise<Account> {
    await refresh();
    const account = byId.get(id);
    if (!account) throw notFound();
    return account;
  }

  const idOf = (person: Pick<Account, 'issuer' | 'name'>) => rowId(system, 'account', rowKey(person));

  /** The account of an invitation that can still be accepted. */
  function invitedBy(token: string, account: Account | undefined): Account | undefined {
    const { invitation } = account ?? {};
    if (!account || !invitation || account.disabled || now() >= invitation.expiresMs) return undefined;
    const [expected, given] = [invitation.secretHash, hashOf(token)].map((text) => Buffer.from(text));
    return timingSafeEqual(expected!, given!) ? account : undefined;
  }
  const idIn = (token: string) => /^([0-9a-f]{32})\.[\w-]{43}$/.exec(token)?.[1];

  return {
    refresh,
    async list() {
      await refresh();
      return [...byId.values()].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1));
    },
    get,
    of: (caller) => byNamespace.get(nsOf(caller)),
    isDisabled: (caller) => disabled.size > 0 && disabled.has(nsOf(caller)),
    quotaOf: (ns) =>
      withQuota.size > 0 && withQuota.has(namespaceMapKey(ns))
        ? byNamespace.get(namespaceMapKey(ns))
        : undefined,
    async havePasswords() {
      await refresh();
      return byId.values().some(({ passwordHash }) => passwordHash !== undefined);
    },

    async add({ name, displayName, role }) {
      const id = idOf({ name });
      const { invitation, sealed } = newInvitation(hex(id), now());
      const account = await write(id, (before) => {
        if (before) throw new AppError('conflict', 'There is an account of this name already.');
        return { id: hex(id), name, displayName, role, invitation: sealed, createdMs: now() };
      });
      return { account: account!, invitation };
    },
    change(id, { disabled: disable, displayName, role, quotaFacts, quotaBytes }) {
      return update(id, (before) => {
        const after = { ...before, role: role ?? before.role };
        if (disable !== undefined) after.disabled = disable || undefined;
        if (displayName !== undefined) after.displayName = displayName ?? undefined;
        if (quotaFacts !== undefined) after.quotaFacts = quotaFacts ?? undefined;
        if (quotaBytes !== undefined) after.quotaBytes = quotaBytes ?? undefined;
        return after;
      });
    },
    async reset(id) {
      const { invitation, sealed } = newInvitation(id, now());
      const account = await update(id, (before) => {
        if (before.issuer !== undefined)
          throw new AppError('conflict', 'This person signs in with an identity provider, not a password.', {
            hint: 'Reset the password there, or disable the account here.',
          });
        return { ...before, passwordHash: undefined, invitation: sealed };
      });
      return { account, invitation };
    },
    async remove(id) {
      await write(Buffer.from(id, 'hex'), () => undefined);
    },

    async invited(token) {
      await refresh();
      return invitedBy(token, byId.get(idIn(token) ?? ''));
    },
    async accept(token, password) {
      await refresh();
      const id = idIn(token);
      const account = invitedBy(token, byId.get(id ?? ''));
      if (!account) return undefined;
      assertPassword(password, account.name);
      const passwordHash = await hashPassword(password);
      // Checked again on the row: another request may have used the link meanwhile.
      return write(Buffer.from(id!, 'hex'), (before) => {
        if (!before || !invitedBy(token, before)) throw new UsedInvitation();
        return { ...before, passwordHash, invitation: undefined, lastSignInMs: now() };
      }).catch((thrown) => {
        if (thrown instanceof UsedInvitation) return undefined;
        throw thrown;
      });
    },
    async checkPassword(name, password) {
      await refresh();
      const account = byId.get(hex(idOf({ name })));
      const isRight = await isPassword(password, account?.passwordHash);
      return isRight && account && stateOf(account) === 'active' ? account : undefined;
    },
    async setPassword(id, password) {
      const { name } = await get(id);
      assertPassword(password, name);
      const passwordHash = await hashPassword(password);
      return update(id, (before) => {
        // An admin has reset it meanwhile: the link decides, not whoever still has the old password.
        if (before.passwordHash === undefined)
          throw new AppError('conflict', 'The password was reset just now.', {
            hint: 'Use the link that you were sent.',
          });
        return { ...before, passwordHash };
      });
    },
    async signInExternal({ issuer, subject, displayName, groups, caller }) {
      const id = idOf({ issuer, name: subject });
      const account = await write(id, (before) => ({
        ...(before ?? { id: hex(id), issuer, name: subject, role: 'member' as const, createdMs: now() }),
        displayName: displayName ?? before?.displayName,
        groups,
        adopted: caller.issuer === undefined ? caller : undefined,
        lastSignInMs: before?.disabled ? before.lastSignInMs : now(),
      }));
      return account!;
    },
    signedIn: (id) => update(id, (before) => ({ ...before, lastSignInMs: now() })),
  };
}

class UsedInvitation extends Error {}

const notFound = () => new AppError('not_found', 'There is no such account.');
const hex = (id: Uint8Array) => Buffer.from(id).toString('hex');
const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');
const accountOf = ({ id, value }: { id: Buffer; value: string }): Account => ({
  ...(JSON.parse(value) as Omit<Account, 'id'>),
  id: hex(id),
});

/** One row per name, so that two nodes cannot add it twice. The case of a name does not tell two people apart. */
const rowKey = ({ issuer, name }: Pick<Account, 'issuer' | 'name'>) =>
  JSON.stringify(issuer === undefined ? [name.toLowerCase()] : [issuer, name]);

function newInvitation(id: string, nowMs: number) {
  const token = `${id}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const expiresMs = nowMs + INVITATION_MS;
  return { invitation: { token, expiresMs }, sealed: { secretHash: hashOf(token), expiresMs } };
}
