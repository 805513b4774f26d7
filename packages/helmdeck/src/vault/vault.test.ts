import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { createKeyring } from '../memory/crypto/keyring.ts';
import { everyNamespace, VAULT_REALM } from '../memory/crypto/namespace-record.ts';
import { forget } from '../memory/erase/forget.ts';
import { createMemory, type MemoryParts } from '../memory/memory.ts';
import { deleteOrphanedRows, surveyOrphanedRows } from '../server/doctor/orphaned-rows.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { SECRET_POLICY } from './secret-policy.ts';
import { openVault, type VaultService, vaultExists } from './vault.ts';

const KEY = Buffer.alloc(32, 7);
const OTHER = Buffer.alloc(32, 8);
const ADA = { subject: 'ada' };
const BOB = { subject: 'bob' };
let nowMs = Date.UTC(2026, 0, 1);
let folder: string;
let server: TestServer;
let vault: VaultService;

const parts = () => server.memory!.parts as MemoryParts;
const all = async <T>(source: AsyncIterable<T>) => {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
};
const codeOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof AppError ? `${thrown.code} ${thrown.reason}` : thrown;
};

async function start(memoryKey = 'a'.repeat(64), previous?: string): Promise<void> {
  server = await testServer({
    now: () => nowMs,
    env: {
      HELMDECK_DB: join(folder, 'helmdeck.db'),
      HELMDECK_MEMORY_KEY: memoryKey,
      ...(previous ? { HELMDECK_MEMORY_KEY_PREVIOUS: previous } : {}),
    },
  });
}

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-vault-'));
  await start();
  vault = await openVault({ parts: parts(), key: KEY });
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('secrets', () => {
  it('a secret is stored, replaced and deleted under its exact name', async () => {
    const own = vault.of(ADA);
    expect(await own.set('github-token', 'first')).toMatchObject({ created: true, hosts: [] });
    nowMs += 1000;
    const again = await own.set('github-token', 'second', ['API.github.com.', '*.GitHub.com']);
    expect(again).toEqual({
      name: 'github-token',
      created: false,
      hosts: ['api.github.com', '*.github.com'],
      places: ['header'],
      createdMs: nowMs - 1000,
      updatedMs: nowMs,
    });
    expect((await own.get('github-token'))?.value).toBe('second');
    expect(await own.get('GitHub-token')).toBeUndefined();
    expect(await own.delete('github-token')).toBe(true);
    expect(await own.delete('github-token')).toBe(false);
    expect(await own.get('github-token')).toBeUndefined();
  });

  it('the same subject in another tenant, or without one, has a separate vault', async () => {
    await vault.of(ADA).set('k', 'of ada');
    await vault.of({ subject: 'ada', tenant: 'acme' }).set('k', 'of acme');
    expect(await vault.of(BOB).get('k')).toBeUndefined();
    expect(await vault.of({ subject: undefined }).list()).toEqual([]);
    expect((await vault.of(ADA).get('k'))?.value).toBe('of ada');
  });

  it('a secret has the places it was written with, and others are refused', async () => {
    const own = vault.of(ADA);
    expect(await own.set('k', 'v', [], ['URL', 'header:X-Custom', 'url'])).toMatchObject({
      places: ['url', 'header:x-custom'],
    });
    for (const places of [[], ['cookie'], ['header:'], ['header:a b']])
      expect(await codeOf(own.set('k', 'v', [], places)), places.join()).toBe('invalid_input bad_place');
  });

  it('the secrets bound to a host are found with their values, and unbound ones are not', async () => {
    const own = vault.of(ADA);
    await own.set('one', 'v1', ['api.example.com']);
    await own.set('all', 'v2', ['*.example.com']);
    await own.set('other', 'v3', ['example.org']);
    await own.set('unbound', 'v4');
    await vault.of(BOB).set('theirs', 'v5', ['api.example.com']);
    const found = await own.boundTo('API.example.com');
    expect(found.map(({ value }) => value).sort()).toEqual(['v1', 'v2']);
  });

  it('secrets are listed by name without their values', async () => {
    for (const name of ['z', 'A.b_c-d', 'm']) await vault.of(ADA).set(name, `value of ${name}`);
    const listed = await vault.of(ADA).list();
    expect(listed.map(({ name }) => name)).toEqual(['A.b_c-d', 'm', 'z']);
    expect(Object.keys(listed[0]!).sort()).toEqual(['createdMs', 'hosts', 'name', 'places', 'updatedMs']);
    expect(JSON.stringify(listed)).not.toContain('value of');
  });

  it('a secret with an invalid name, size or host is refused without repeating it', async () => {
    const own = vault.of(ADA);
    const huge = 'x'.repeat(SECRET_POLICY.maxValueBytes + 1);
    for (const name of ['', 'a b', 'a/b', 'ä', 'x'.repeat(65), '${vault:x}', 'a\n'])
      expect(await codeOf(own.set(name, 'v')), name).toBe('invalid_input bad_name');
    expect(await codeOf(own.set('k', ''))).toBe('invalid_input missing_value');
    expect(await codeOf(own.set('k', '\ud800'))).toBe('invalid_input bad_value');
    expect(await codeOf(own.set('k', huge))).toBe('invalid_input value_too_long');
    expect(await codeOf(own.set('k', 'ü'.repeat(SECRET_POLICY.maxValueBytes / 2 + 1)))).toBe(
      'invalid_input value_too_long',
    );
    for (const host of ['*', '*.', 'https://x', 'a b', '', 'x/y', 'x:80', '*.*.com', 'a*.com'])
      expect(await codeOf(own.set('k', 'v', [host])), host).toBe('invalid_input bad_host');
    const message = await own.set('no good', 'hunter2-hunter2').catch((error: Error) => error.message);
    expect(message).not.toMatch(/no good|hunter2/);
    expect(await own.list()).toEqual([]);
    expect(await own.set('k', 'x'.repeat(SECRET_POLICY.maxValueBytes))).toMatchObject({ created: true });
  });

  it('concurrent writes and deletes of a secret lose no update', async () => {
    const own = vault.of(ADA);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 4 === 3 ? own.delete('k') : own.set('k', `v${n}`))),
    );
    await own.set('k', 'last');
    expect((await own.get('k'))?.value).toBe('last');
    expect(await own.list()).toHaveLength(1);
  });
});

describe('the vault beside memory', () => {
  it('the database file contains no plaintext of a secret', async () => {
    const owner = { subject: 'telling-subject' };
    await vault.of(owner).set('very-telling-name', 'very-secret-value', ['telling.example']);
    await server.close();
    const bytes = readFileSync(join(folder, 'helmdeck.db'));
    for (const text of ['very-telling-name', 'very-secret-value', 'telling.example', 'telling-subject'])
      expect(bytes.includes(text), text).toBe(false);
    await start();
  });

  it('forgetting all of memory leaves the vault, and erasing the vault leaves memory', async () => {
    const memory = createMemory(parts(), ADA);
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    await vault.of(ADA).set('k', 'kept');
    await vault.of(BOB).set('k', 'of bob');
    await forget(memory, { type: 'all' });
    expect((await vault.of(ADA).get('k'))?.value).toBe('kept');
    expect(await vault.erase(ADA)).toBe(1);
    expect(await vault.of(ADA).list()).toEqual([]);
    expect((await vault.of(BOB).get('k'))?.value).toBe('of bob');
    expect(await vault.of(ADA).set('k', 'again')).toMatchObject({ created: true });
  });

  it('the vault survives a rotation of the memory key', async () => {
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    await vault.of(ADA).set('k', 'kept');
    await server.close();
    await start('b'.repeat(64), 'a'.repeat(64));
    expect(await parts().directory.rotate()).toMatchObject({ unreadable: 0, finished: true });
    await server.close();
    await start('b'.repeat(64));
    expect(server.memoryProblem).toBeUndefined();
    vault = await openVault({ parts: parts(), key: KEY });
    expect((await vault.of(ADA).get('k'))?.value).toBe('kept');
  });

  it('the vault survives the sweep of a memory with an ephemeral key', async () => {
    await server.close();
    const ephemeral = () => testServer({ env: { HELMDECK_DB: join(folder, 'ephemeral', 'helmdeck.db') } });
    server = await ephemeral();
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    await (await openVault({ parts: parts(), key: KEY })).of(ADA).set('k', 'kept');
    await server.close();
    server = await ephemeral();
    expect(parts().directory.orphansSwept).toBeGreaterThan(0);
    expect((await (await openVault({ parts: parts(), key: KEY })).of(ADA).get('k'))?.value).toBe('kept');
  });

  it('a purge of unreadable memory rows skips the vault', async () => {
    await server.call('ada', 'POST', '/api/v1/memory/store', { key: 'k', value: 'v' });
    await vault.of(ADA).set('k', 'kept');
    const { store } = parts();
    const stranger = createKeyring({ current: Buffer.alloc(32, 9) });
    expect(await surveyOrphanedRows(store, stranger, () => {})).toMatchObject({ everything: true });
    await deleteOrphanedRows(store, stranger, () => {});
    expect(await all(everyNamespace(store))).toEqual([]);
    const again = await openVault({ parts: parts(), key: KEY });
    expect((await again.of(ADA).get('k'))?.value).toBe('kept');
  });

  it('vault rows count towards no caller and appear in no walk over memory', async () => {
    await vault.of(ADA).set('k', 'v');
    const seen = await all(everyNamespace(parts().store));
    const own = await all(everyNamespace(parts().store, VAULT_REALM));
    expect(own).toHaveLength(2); // the vault's canary and ada's vault
    expect(seen.some(({ ns }) => own.some((record) => Buffer.from(record.ns).equals(ns)))).toBe(false);
    const admin = await server.token('root', { scopes: ['admin'] });
    const answer = await server.call(undefined, 'GET', '/api/v1/memory/callers', undefined, {
      authorization: `Bearer ${admin}`,
    });
    expect(await answer.json()).toEqual({ callers: [] });
  });
});

describe('the vault key', () => {
  it('a wrong vault key is refused and changes nothing', async () => {
    await vault.of(ADA).set('k', 'kept');
    expect(await codeOf(openVault({ parts: parts(), key: OTHER }))).toBe('vault_unavailable wrong_key');
    const again = await openVault({ parts: parts(), key: KEY });
    expect((await again.of(ADA).get('k'))?.value).toBe('kept');
  });

  it('the vault key can be rotated only with the previous key', async () => {
    await vault.of(ADA).set('k', 'kept');
    const between = await openVault({ parts: parts(), key: OTHER, previousKeys: [KEY] });
    expect((await between.of(ADA).get('k'))?.value).toBe('kept');
    expect(await between.rotate()).toMatchObject({ total: 2, done: 2, unreadable: 0 });
    const after = await openVault({ parts: parts(), key: OTHER });
    expect((await after.of(ADA).get('k'))?.value).toBe('kept');
    expect(await codeOf(openVault({ parts: parts(), key: KEY }))).toBe('vault_unavailable wrong_key');
    expect(await parts().directory.rotate()).toMatchObject({ total: 0 });
  });

  it('a node whose vault key was rotated by another node reads no unknown caller, creates none, and says why', async () => {
    await vault.of(ADA).set('k', 'kept');
    const stale = await openVault({ parts: parts(), key: KEY });
    const rotated = await openVault({ parts: parts(), key: OTHER, previousKeys: [KEY] });
    await rotated.rotate();
    expect(await codeOf(stale.of(ADA).get('k'))).toBe('vault_unavailable wrong_key');
    expect(await codeOf(stale.of({ subject: 'new' }).set('k', 'v'))).toBe('vault_unavailable wrong_key');
    expect(await codeOf(stale.rotate())).toBe('vault_unavailable wrong_key');
    expect((await rotated.of(ADA).get('k'))?.value).toBe('kept');
    expect(await rotated.of({ subject: 'new' }).list()).toEqual([]);
  });

  it('the vault is created by the first write, and then refuses any other key', async () => {
    expect(await vaultExists(parts().store)).toBe(false);
    const other = await openVault({ parts: parts(), key: OTHER });
    expect(await vault.of(ADA).list()).toEqual([]);
    expect(await vault.of(ADA).get('k')).toBeUndefined();
    expect(await vault.of(ADA).delete('k')).toBe(false);
    expect(await vault.erase(ADA)).toBe(0);
    expect(await vault.rotate()).toBeUndefined();
    expect(await vaultExists(parts().store)).toBe(false);
    await vault.of(ADA).set('k', 'v');
    expect(await vaultExists(parts().store)).toBe(true);
    expect(await codeOf(other.of(ADA).get('k'))).toBe('vault_unavailable wrong_key');
    expect(await codeOf(other.of(ADA).set('k', 'w'))).toBe('vault_unavailable wrong_key');
    expect((await vault.of(ADA).get('k'))?.value).toBe('v');
  });

  it('concurrent first writes create one vault', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => vault.of({ subject: `s${n}` }).set('k', `${n}`)));
    for (let n = 0; n < 20; n++) expect((await vault.of({ subject: `s${n}` }).get('k'))?.value).toBe(`${n}`);
  });
});

describe('damaged secrets', () => {
  it('a damaged secret is reported, skipped in the list, and repaired by writing it again', async () => {
    await vault.of(ADA).set('k', 'v');
    await vault.of(ADA).set('fine', 'v');
    const { store } = parts();
    const [, own] = (await all(everyNamespace(store, VAULT_REALM))).sort((a) =>
      VAULT_REALM.system.equals(a.ns) ? -1 : 1,
    );
    const rows = await store.scan(own!.ns, { kinds: ['secret'], limit: 10 });
    // A body moved to another row does not open there.
    const swapped = { ...rows[0]!, body: rows[1]!.body };
    await store.apply(own!, [{ type: 'put', row: swapped }]);
    const broken = (await vault.of(ADA).list()).some(({ name }) => name === 'k') ? 'fine' : 'k';
    expect(await codeOf(vault.of(ADA).get(broken))).toBe('vault_unavailable unreadable_row');
    expect(await vault.of(ADA).list()).toHaveLength(1);
    await vault.of(ADA).set(broken, 'repaired');
    expect((await vault.of(ADA).get(broken))?.value).toBe('repaired');
  });
});
