import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.ts';
import { type TestServer, testServer } from '../testing/test-server.ts';
import type { TokenClaims } from './revocations.ts';
import { openTokenRegistry, type TokenRecord, type TokenRegistry } from './token-registry.ts';

const clock = fakeClock();
const HOUR_MS = 3_600_000;
let server: TestServer;
let tokens: TokenRegistry;

beforeEach(async () => {
  server = await testServer({ now: clock.now });
  tokens = await reopened();
});
afterEach(() => server.close());

const reopened = () => openTokenRegistry(server.memory!.parts);
const record = (jti: string, subject: string, more: Partial<TokenRecord> = {}): TokenRecord => ({
  jti,
  subject,
  scopes: ['memory:read'],
  createdMs: clock.now(),
  expiresMs: clock.now() + HOUR_MS,
  ...more,
});

/** What a verified token with this id says. */
const claims = (jti: string | undefined, more: Partial<TokenClaims> = {}): TokenClaims => ({
  caller: { subject: 'ada' },
  jti,
  scopes: new Set(['memory:read']),
  issuedMs: clock.now(),
  ...more,
});

describe('the token registry', () => {
  it('a connection that ended has no next refresh token, not even for a retry', async () => {
    const grant = { clientId: 'app_x', redirectHost: 'localhost', resource: 'https://x', generation: 1 };
    const renew = () => tokens.renewGrant('j1', 1, clock.now() + HOUR_MS);
    await tokens.add(record('j1', 'ada', { grant }));
    expect([await renew(), await renew()]).toEqual(['renewed', 'renewed']);
    await tokens.revoke('j1');
    expect(await renew()).toBe('ended');
    expect(await tokens.renewGrant('unknown', 1, clock.now() + HOUR_MS)).toBe('ended');
  });

  it('the registry lists tokens newest first with name and scopes, never the token itself', async () => {
    await tokens.add(record('j1', 'ada', { name: 'laptop', client: 'cursor' }));
    clock.advance(1000);
    await tokens.add(record('j2', 'ada'));
    expect(await tokens.list()).toEqual([
      expect.objectContaining({ jti: 'j2', subject: 'ada', last_used_at: null, revoked_at: null }),
      {
        jti: 'j1',
        subject: 'ada',
        name: 'laptop',
        client: 'cursor',
        scopes: ['memory:read'],
        created_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        last_used_at: null,
        revoked_at: null,
      },
    ]);
  });

  it("the registry lists only the owner's tokens, and keeps tenants with the same subject apart", async () => {
    await tokens.add(record('j1', 'ada'));
    await tokens.add(record('j2', 'ada', { tenant: 't' }));
    await tokens.add(record('j3', 'bob'));
    const jtis = async (owner: Parameters<TokenRegistry['list']>[0]) =>
      (await tokens.list(owner)).map(({ jti }) => jti);
    expect(await jtis({ subject: 'ada' })).toEqual(['j1']);
    expect(await jtis({ subject: 'ada', tenant: 't' })).toEqual(['j2']);
    expect(await jtis({ subject: 'ADA' })).toEqual([]);
  });

  it('a revocation takes effect immediately and survives a restart', async () => {
    await tokens.add(record('j1', 'ada'));
    expect(tokens.isRevoked(claims('j1'))).toBe(false);
    expect(await tokens.revoke('j1')).toBe(true);
    expect(tokens.isRevoked(claims('j1'))).toBe(true);
    expect((await reopened()).isRevoked(claims('j1'))).toBe(true);
    expect((await tokens.list())[0]!.revoked_at).toBe(new Date(clock.now()).toISOString());
  });

  it('revoking a token twice keeps the time of the first revocation', async () => {
    await tokens.add(record('j1', 'ada'));
    await tokens.revoke('j1');
    const at = (await tokens.list())[0]!.revoked_at;
    clock.advance(5000);
    expect(await tokens.revoke('j1')).toBe(true);
    expect((await tokens.list())[0]!.revoked_at).toBe(at);
  });

  it('revoking a token that was never minted here returns false', async () => {
    expect(await tokens.revoke('nobody')).toBe(false);
    expect(tokens.isRevoked(claims('nobody'))).toBe(false);
  });

  it('the last use of a token survives a restart once it is flushed', async () => {
    await tokens.add(record('j1', 'ada'));
    clock.advance(1000);
    tokens.used('j1');
    const usedAt = new Date(clock.now()).toISOString();
    expect((await tokens.list())[0]!.last_used_at).toBe(usedAt);
    await tokens.flush();
    expect((await (await reopened()).list())[0]!.last_used_at).toBe(usedAt);
  });

  it('recording the use of a revoked token leaves it revoked', async () => {
    await tokens.add(record('j1', 'ada'));
    tokens.used('j1');
    await Promise.all([tokens.revoke('j1'), tokens.flush()]);
    expect((await reopened()).isRevoked(claims('j1'))).toBe(true);
    expect((await tokens.list())[0]!.revoked_at).not.toBeNull();
  });

  it('the registry drops tokens when they expire', async () => {
    await tokens.add(record('j1', 'ada'));
    await tokens.revoke('j1');
    clock.advance(HOUR_MS);
    expect(await tokens.list()).toEqual([]);
    expect(await tokens.find('j1')).toBeUndefined();
    await server.janitor!.sweep();
    await tokens.flush();
    expect(tokens.isRevoked(claims('j1'))).toBe(false);
  });

  it('recording the use of an unknown token has no effect', async () => {
    tokens.used('from-elsewhere');
    await tokens.flush();
    expect(await tokens.list()).toEqual([]);
  });
});
