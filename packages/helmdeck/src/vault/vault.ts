import { AppError } from '../errors.ts';
import { type Directory, openDirectory } from '../memory/crypto/directory.ts';
import type { Rotation } from '../memory/crypto/key-rotation.ts';
import { createKeyring } from '../memory/crypto/keyring.ts';
import { VAULT_REALM } from '../memory/crypto/namespace-record.ts';
import { type NamespaceKeys, rowId } from '../memory/crypto/sealed.ts';
import type { Entry } from '../memory/entry.ts';
import { destroyNamespace } from '../memory/erase/erase-memory.ts';
import { type MemoryParts, type Plan, putOp, readEntry, transact, walkEntries } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { Store } from '../memory/store.ts';
import {
  assertSecret,
  checkedHosts,
  checkedPlaces,
  DEFAULT_PLACES,
  hostAllowed,
  isSecretName,
  SECRET_POLICY,
} from './secret-policy.ts';

/** A secret without its value. */
export interface SecretInfo {
  name: string;
  /** The only hosts it may be sent to; empty for any. */
  hosts: string[];
  /** Where in a request it may stand. */
  places: string[];
  createdMs: number;
  updatedMs: number;
}

export interface Secret extends SecretInfo {
  value: string;
}

/** One caller's secrets. */
export interface Vault {
  /** Creates or replaces a secret; `created` says which. */
  set(
    name: string,
    value: string,
    hosts?: readonly string[],
    places?: readonly string[],
  ): Promise<SecretInfo & { created: boolean }>;
  get(name: string): Promise<Secret | undefined>;
  /** The secrets that are bound to this host, with their values. */
  boundTo(host: string): Promise<Secret[]>;
  /** Names, hosts and times, in the order of names; never a value. */
  list(): Promise<SecretInfo[]>;
  delete(name: string): Promise<boolean>;
}

/** The vaults of all callers: under their own keyring, in the same store as memory. */
export interface VaultService {
  readonly keyId: string;
  of(caller: Caller): Vault;
  /** Destroys the caller's key and secrets; returns the number of deleted rows. */
  erase(caller: Caller): Promise<number>;
  /** Re-wraps keys that are wrapped under a previous key; undefined if there is no vault yet. */
  rotate(): Promise<Rotation | undefined>;
}

export interface OpenVaultOptions {
  /** Shared with memory, except for the directory. */
  parts: MemoryParts;
  key: Uint8Array;
  previousKeys?: readonly Uint8Array[];
}

/**
 * Opens the vault; with a key other than the one it was created with, rejects with `vault_unavailable` and changes
 * nothing. The vault is created by the first write, so a server that never stores a secret has no trace of it.
 */
export async function openVault(options: OpenVaultOptions): Promise<VaultService> {
  const { store, now } = options.parts;
  const keyring = createKeyring({ current: options.key, previous: options.previousKeys });
  let opened: Promise<MemoryParts> | undefined;

  async function open(): Promise<MemoryParts> {
    try {
      const directory = await openDirectory(store, keyring, now, VAULT_REALM);
      return { ...options.parts, directory: withVaultErrors(directory) };
    } catch (thrown) {
      opened = undefined;
      throw toVaultError(thrown);
    }
  }
  const openOrCreate = () => {
    opened ??= open();
    return opened;
  };
  const find = async () => (opened || (await vaultExists(store)) ? openOrCreate() : undefined);

  await find();
  return {
    keyId: keyring.currentId.toString('hex'),
    of: (caller) => createVault({ openOrCreate, find }, caller),
    async erase(caller) {
      const parts = await find();
      return parts ? destroyNamespace(store, parts.directory, parts.directory.idOf(caller)) : 0;
    },
    async rotate() {
      const parts = await find();
      return parts?.directory.rotate();
    },
  };
}

/** Whether this store has a vault; needs no key. */
export async function vaultExists(store: Pick<Store, 'getNamespace'>): Promise<boolean> {
  return (await store.getNamespace(VAULT_REALM.system)) !== undefined;
}

/** Another node may rotate the key of the vault while this one runs. */
function withVaultErrors(directory: Directory): Directory {
  const failWith = (thrown: unknown) => {
    throw toVaultError(thrown);
  };
  return {
    ...directory,
    find: (caller) => directory.find(caller).catch(failWith),
    findOrCreate: (caller) => directory.findOrCreate(caller).catch(failWith),
    rotate: () => directory.rotate().catch(failWith),
  };
}

function toVaultError(thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || thrown.code !== 'memory_unavailable') return thrown;
  const { reason } = thrown;
  if (reason === 'wrong_key')
    return vaultError(
      thrown,
      'The vault was written under a different key.',
      'Set HELMDECK_VAULT_KEY to the key the vault was written with. Nothing was changed.',
    );
  if (reason === 'rotation_unfinished')
    return vaultError(
      thrown,
      'The rotation of the vault key is not finished, and an earlier key is missing.',
      'Add that key to HELMDECK_VAULT_KEY_PREVIOUS until the rotation is finished. Nothing was changed.',
    );
  return vaultError(
    thrown,
    'The vault cannot be opened.',
    'Restore a backup with "helmdeck restore". Nothing was changed.',
  );
}

function vaultError(cause: AppError, message: string, hint: string): AppError {
  return new AppError('vault_unavailable', message, { reason: cause.reason, hint, cause });
}

/** Access to the vault: a write creates it, any other operation only finds it. */
interface VaultParts {
  openOrCreate(): Promise<MemoryParts>;
  find(): Promise<MemoryParts | undefined>;
}

function createVault({ openOrCreate, find }: VaultParts, caller: Caller): Vault {
  const queueName = (keys: { ns: Buffer }, name: string) => `vault ${keys.ns.toString('hex')} ${name}`;
  const findOwn = async () => {
    const parts = await find();
    const keys = await parts?.directory.find(caller);
    return parts && keys && { parts, keys };
  };
  return {
    async set(name, value, hosts = [], places) {
      assertSecret(name, value);
      const secret: SealedSecret = { value, hosts: checkedHosts(hosts), places: checkedPlaces(places) };
      const parts = await openOrCreate();
      const keysOf = () => parts.directory.findOrCreate(caller);
      const keys = await keysOf();
      parts.limits.takeWrites(keys.ns, 1);
      return transact(parts, keysOf, queueName(keys, name), (current) =>
        planSet(parts, current, name, secret),
      );
    },
    async get(name) {
      const vault = isSecretName(name) ? await findOwn() : undefined;
      const entry = vault && (await readSecret(vault.parts, vault.keys, name));
      return entry && secretOf(entry);
    },
    async boundTo(host) {
      const vault = await findOwn();
      const found: Secret[] = [];
      if (!vault) return found;
      for await (const entry of walkEntries(vault.parts, vault.keys, { kinds: ['secret'] })) {
        const secret = secretOf(entry);
        if (secret.hosts.length > 0 && hostAllowed(secret.hosts, host)) found.push(secret);
      }
      return found;
    },
    async list() {
      const vault = await findOwn();
      const found: SecretInfo[] = [];
      if (vault)
        for await (const entry of walkEntries(vault.parts, vault.keys, { kinds: ['secret'] }))
          found.push(infoOf(entry));
      return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async delete(name) {
      const vault = isSecretName(name) ? await findOwn() : undefined;
      if (!vault) return false;
      const { parts, keys } = vault;
      parts.limits.takeWrites(keys.ns, 1);
      return transact(
        parts,
        async () => (await parts.directory.find(caller)) ?? keys,
        queueName(keys, name),
        async (current) => {
          const id = rowId(current, 'secret', name);
          const row = await parts.store.get(current.ns, id);
          return row
            ? { ops: [{ type: 'delete', id, ifRev: row.rev }], result: true }
            : { ops: [], result: false };
        },
      );
    },
  };
}

interface SealedSecret {
  value: string;
  hosts: string[];
  /** Absent in secrets of older versions. */
  places?: string[];
}

async function planSet(
  parts: MemoryParts,
  keys: NamespaceKeys,
  name: string,
  secret: SealedSecret,
): Promise<Plan<SecretInfo & { created: boolean }>> {
  const id = rowId(keys, 'secret', name);
  // Not decrypted, so that writing a damaged secret again repairs it.
  const before = await parts.store.get(keys.ns, id);
  if (!before) await assertQuota(parts, keys);
  const nowMs = parts.now();
  const createdMs = before?.createdMs ?? nowMs;
  const content = { key: name, value: JSON.stringify(secret) };
  const times = { createdMs, updatedMs: nowMs, expiresMs: null };
  return {
    ops: [putOp(keys, { id, kind: 'secret', group: null, content, ...times }, before)],
    result: {
      name,
      hosts: secret.hosts,
      places: secret.places ?? [...DEFAULT_PLACES],
      createdMs,
      updatedMs: nowMs,
      created: before === undefined,
    },
  };
}

async function assertQuota(parts: MemoryParts, keys: NamespaceKeys): Promise<void> {
  const usage = await parts.store.usage(parts.now(), keys.ns);
  const secrets = usage.find(({ kind }) => kind === 'secret')?.rows ?? 0;
  if (secrets >= SECRET_POLICY.maxSecretsPerCaller) {
    throw new AppError(
      'quota_exceeded',
      `This vault is full: ${SECRET_POLICY.maxSecretsPerCaller} secrets are allowed.`,
      {
        hint: 'Delete secrets that are no longer needed.',
        retryAfterSeconds: 60,
      },
    );
  }
}

async function readSecret(parts: MemoryParts, keys: NamespaceKeys, name: string): Promise<Entry | undefined> {
  try {
    return await readEntry(parts, keys, rowId(keys, 'secret', name));
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.reason !== 'unreadable_row') throw thrown;
    throw new AppError('vault_unavailable', 'This secret is damaged and cannot be read.', {
      reason: 'unreadable_row',
      hint: 'Write it again.',
      cause: thrown,
    });
  }
}

function infoOf(entry: Entry): SecretInfo {
  const { createdMs, updatedMs } = entry;
  const { hosts, places = [...DEFAULT_PLACES] } = contentOf(entry);
  return { name: entry.key, hosts, places, createdMs, updatedMs };
}

const secretOf = (entry: Entry): Secret => ({ ...infoOf(entry), value: contentOf(entry).value });

const contentOf = (entry: Entry) => JSON.parse(entry.value) as SealedSecret;
