import { scrypt } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import { type Accounts, openAccounts } from './accounts.ts';
import { assertPassword, hashPassword, isPassword } from './passwords.ts';

// Counted, not replaced.
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return { ...crypto, scrypt: vi.fn(crypto.scrypt) };
});

const clock = fakeClock();
const PASSWORD = 'correct horse battery';
let server: TestServer;
let accounts: Accounts;

beforeEach(async () => {
  server = await testServer({ now: clock.now, env: { HELMDECK_ADMIN_PASSWORD: 'the one of the admin' } });
  accounts = server.memory!.accounts;
});
afterEach(() => server.close());

const addAda = () => accounts.add({ name: 'Ada', role: 'member' });
const active = async () => {
  const { invitation } = await addAda();
  return (await accounts.accept(invitation.token, PASSWORD))!;
};

const logIn = (username: string, password: string) =>
  server.call(undefined, 'POST', '/api/v1/auth/login', { username, password });
/** Does something while the next password is hashed, before the hash is known. */
function whileHashing(work: () => Promise<unknown>): void {
  const hash = vi.mocked(scrypt).getMockImplementation()!;
  vi.mocked(scrypt).mockImplementationOnce((...options) => {
    void work().then(() => hash(...options));
  });
}

describe('passwords', () => {
  it('a hash names its cost and salt, fits its password alone, and is another one every time', async () => {
    const hash = await hashPassword(PASSWORD);
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hashPassword(PASSWORD)).not.toBe(hash);
    expect(await isPassword(PASSWORD, hash)).toBe(true);
    expect(await isPassword(`${PASSWORD} `, hash)).toBe(false);
    expect(await isPassword(PASSWORD, undefined)).toBe(false);
    // One character that two keyboards send as one code point or as two.
    expect(await isPassword('caf\u0065\u0301 au lait', await hashPassword('caf\u00e9 au lait'))).toBe(true);
  });

  it.each(['short', 'elevenchars', 'ada.lovelace1', 'x'.repeat(1025), undefined, 7])(
    'the password %s is refused before it is hashed',
    (password) => {
      expect(() => assertPassword(password, 'ada.lovelace')).toThrow();
    },
  );
});

describe('accounts', () => {
  it('a name can be taken once, whatever its case, also when two processes add it at the same time', async () => {
    const other = await openAccounts(server.memory!.parts);
    const both = await Promise.allSettled([
      accounts.add({ name: 'ada', role: 'member' }),
      other.add({ name: 'ADA', role: 'admin' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(addAda()).rejects.toMatchObject({ code: 'conflict' });
    expect(await accounts.list()).toHaveLength(1);
  });

  it('an invitation sets the password once, also when two requests use it at the same time', async () => {
    const { account, invitation } = await addAda();
    expect(await accounts.invited(invitation.token)).toMatchObject({ name: 'Ada' });
    const other = await openAccounts(server.memory!.parts);
    const both = await Promise.all([
      accounts.accept(invitation.token, PASSWORD),
      other.accept(invitation.token, 'an attacker was faster'),
    ]);
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await accounts.invited(invitation.token)).toBeUndefined();
    expect(await accounts.accept(invitation.token, PASSWORD)).toBeUndefined();
    expect((await accounts.get(account.id)).invitation).toBeUndefined();
  });

  it('an invitation ends after 72 hours, with a newer one, and while the account is disabled', async () => {
    const { account, invitation } = await addAda();
    clock.advance(72 * 3_600_000 - 1);
    expect(await accounts.invited(invitation.token)).toBeDefined();
    await accounts.change(account.id, { disabled: true });
    expect(await accounts.accept(invitation.token, PASSWORD)).toBeUndefined();
    await accounts.change(account.id, { disabled: false });
    clock.advance(1);
    expect(await accounts.invited(invitation.token)).toBeUndefined();
    const newer = await accounts.reset(account.id);
    expect(await accounts.invited(invitation.token)).toBeUndefined();
    const [id] = newer.invitation.token.split('.');
    expect(await accounts.invited(`${id}.${'A'.repeat(43)}`)).toBeUndefined();
    expect(await accounts.invited('nonsense')).toBeUndefined();
    expect(await accounts.accept(newer.invitation.token, PASSWORD)).toMatchObject({ name: 'Ada' });
  });

  it('a password signs in until it is reset or the account is disabled; the case of the name does not matter', async () => {
    const { id } = await active();
    expect(await accounts.checkPassword('ADA', PASSWORD)).toMatchObject({ id });
    expect(await accounts.checkPassword('ada', 'wrong')).toBeUndefined();
    await accounts.change(id, { disabled: true });
    expect(await accounts.checkPassword('ada', PASSWORD)).toBeUndefined();
    await accounts.change(id, { disabled: false });
    expect(await accounts.checkPassword('ada', PASSWORD)).toMatchObject({ id });
    await accounts.reset(id);
    expect(await accounts.checkPassword('ada', PASSWORD)).toBeUndefined();
  });

  it('a wrong name costs one hash, as a wrong password does, so that time reveals no account', async () => {
    await active();
    for (const name of ['nobody', 'ada']) {
      vi.mocked(scrypt).mockClear();
      expect(await accounts.checkPassword(name, 'wrong password')).toBeUndefined();
      const costs = vi.mocked(scrypt).mock.calls.map(([, , bytes, options]) => [bytes, options]);
      expect(costs, name).toEqual([[32, { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }]]);
    }
  });

  it('a login costs one hash, whether the name is an account, the admin or nobody', async () => {
    await active();
    for (const name of ['nobody', 'ada', 'admin']) {
      vi.mocked(scrypt).mockClear();
      expect((await logIn(name, 'wrong password')).status).toBe(401);
      expect(vi.mocked(scrypt).mock.calls.length, name).toBe(1);
    }
  });

  it.each(['role', 'disabled'] as const)(
    'a login whose account is changed (%s) while its password is checked is refused, and leaves no session',
    async (what) => {
      const { id } = await active();
      const change = what === 'role' ? { role: 'admin' as const } : { disabled: true };
      whileHashing(() => accounts.change(id, change));
      expect((await logIn('ada', PASSWORD)).status).toBe(401);
      const sessions = await server.memory!.tokens.list({ subject: 'Ada' });
      expect(sessions.filter(({ revoked_at }) => revoked_at === null)).toEqual([]);
    },
  );

  it('a password that is reset while its owner changes it stays reset, and the link of the reset works', async () => {
    const { id } = await active();
    let link = '';
    whileHashing(async () => {
      link = (await accounts.reset(id)).invitation.token;
    });
    await expect(accounts.setPassword(id, 'another long password')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await accounts.checkPassword('ada', 'another long password')).toBeUndefined();
    expect(await accounts.accept(link, PASSWORD)).toMatchObject({ name: 'Ada' });
  });

  it('another process learns of changed and removed accounts when it refreshes', async () => {
    const { id } = await active();
    const other = await openAccounts(server.memory!.parts);
    expect(other.isDisabled({ subject: 'Ada' })).toBe(false);
    await accounts.change(id, { disabled: true, quotaFacts: 5 });
    await other.refresh();
    expect(other.isDisabled({ subject: 'Ada' })).toBe(true);
    expect(other.isDisabled({ subject: 'Ada', tenant: 'acme' })).toBe(false);
    const ns = server.memory!.parts.directory.idOf({ subject: 'Ada' });
    expect(other.quotaOf(ns)).toMatchObject({ quotaFacts: 5 });
    await accounts.remove(id);
    await other.refresh();
    expect(other.isDisabled({ subject: 'Ada' })).toBe(false);
    expect(other.quotaOf(ns)).toBeUndefined();
    expect(await other.list()).toEqual([]);
  });

  it('the row of an account contains neither name nor hash in the clear', async () => {
    const { id, passwordHash } = await active();
    const { store, directory } = server.memory!.parts;
    const row = (await store.get(directory.system.ns, Buffer.from(id, 'hex')))!;
    const stored = Buffer.from(row.body).toString('latin1');
    for (const secret of ['Ada', passwordHash!, 'scrypt']) expect(stored).not.toContain(secret);
  });

  it('people of an identity provider and accounts of the same name are different callers', async () => {
    await active();
    const issuer = 'https://id.example';
    const external = await accounts.signInExternal({
      issuer,
      subject: 'Ada',
      caller: { issuer, subject: 'Ada' },
      groups: ['dev'],
    });
    expect(await accounts.list()).toHaveLength(2);
    await accounts.change(external.id, { disabled: true });
    expect(accounts.isDisabled({ issuer, subject: 'Ada' })).toBe(true);
    expect(accounts.isDisabled({ subject: 'Ada' })).toBe(false);
    await expect(accounts.reset(external.id)).rejects.toMatchObject({ code: 'conflict' });
  });
});
