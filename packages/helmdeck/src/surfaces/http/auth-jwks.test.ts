import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespaceOf } from '../../memory/namespace.ts';
import { type Auth, createAuth } from './auth.ts';

const SECRET = 'a secret of at least thirty-two bytes, raw';
const keys: Record<string, { publicKey: KeyObject; privateKey: KeyObject }> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const stranger = generateKeyPairSync('ed25519');
let provider: Server;
let base: string;
let auth: Auth;

const options = { now: Date.now, isRevoked: () => false };
const jwks = (url: string) => ({
  url,
  issuer: 'https://idp.example',
  audience: 'helmdeck-api',
  allowAdmin: false,
});

beforeAll(async () => {
  const set = {
    keys: await Promise.all(
      Object.entries(keys).map(async ([alg, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        alg,
        kid: alg,
      })),
    ),
  };
  provider = createServer((request, response) => {
    if (request.url === '/broken') response.writeHead(500).end('oops');
    else if (request.url === '/html') response.end('<html>');
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(set));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  auth = createAuth({
    ...options,
    hs256Secret: SECRET,
    jwks: jwks(`${base}/jwks`),
  });
});
afterAll(() => provider.close());

function sign(alg: string, key: KeyObject, more: Record<string, unknown> = {}, kid = alg): Promise<string> {
  const claims = { sub: 'ada', iss: 'https://idp.example', aud: 'helmdeck-api', ...more };
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).setExpirationTime('1h').sign(key);
}

describe('tokens of an identity provider', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])(
    'a token that the provider signed with %s is accepted',
    async (alg) => {
      const identity = await auth.verify(await sign(alg, keys[alg]!.privateKey, { tenant: 'acme' }));
      expect(identity.caller).toEqual({ issuer: 'https://idp.example', subject: 'ada', tenant: 'acme' });
    },
  );

  it("a provider's subject has another namespace than the local subject of the same name", async () => {
    const identity = await auth.verify(await sign('ES256', keys.ES256!.privateKey, { sub: 'admin' }));
    const local = await auth.mint({ caller: { subject: 'admin' }, scopes: [], ttlSeconds: 60 });
    const { caller } = await auth.verify(local.token);
    expect(namespaceOf(caller)).toEqual(Buffer.from('\u0001admin'));
    expect(namespaceOf(identity.caller)).not.toEqual(namespaceOf(caller));
  });

  it("a token that a provider's subject minted for itself keeps the provider's namespace", async () => {
    const { caller } = await auth.verify(await sign('ES256', keys.ES256!.privateKey));
    const minted = await auth.mint({ caller: { ...caller, subject: 'ada' }, scopes: [], ttlSeconds: 60 });
    expect((await auth.verify(minted.token)).caller).toEqual(caller);
  });

  it('the scope admin of a provider counts only if the operator allows it', async () => {
    const token = await sign('ES256', keys.ES256!.privateKey, { scopes: ['admin', 'memory:read'] });
    expect((await auth.verify(token)).scopes).toEqual(new Set(['memory:read']));
    const allowing = createAuth({ ...options, jwks: { ...jwks(`${base}/jwks`), allowAdmin: true } });
    expect((await allowing.verify(token)).scopes).toEqual(new Set(['admin', 'memory:read']));
  });

  it('tokens that the server mints itself are accepted beside those of the provider', async () => {
    const { token } = await auth.mint({ caller: { subject: 'bob' }, scopes: [], ttlSeconds: 60 });
    expect((await auth.verify(token)).caller).toEqual({ subject: 'bob' });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['our own issuer', { iss: 'helmdeck' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'something-else' }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject with control characters', { sub: 'a\u0007' }],
  ])('a provider token with %s is rejected', async (_name, more) => {
    const token = await sign('ES256', keys.ES256!.privateKey, more);
    await expect(auth.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('a provider token without expiry is rejected', async () => {
    const token = await new SignJWT({ sub: 'ada', iss: 'https://idp.example', aud: 'helmdeck-api' })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA' })
      .sign(keys.EdDSA!.privateKey);
    await expect(auth.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('an expired provider token is rejected as expired', async () => {
    const token = await new SignJWT({ sub: 'ada', iss: 'https://idp.example', aud: 'helmdeck-api', exp: 1 })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA' })
      .sign(keys.EdDSA!.privateKey);
    await expect(auth.verify(token)).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('a token signed with a foreign key is rejected, whether its kid is known or not', async () => {
    for (const kid of ['EdDSA', 'nobody']) {
      const token = await sign('EdDSA', stranger.privateKey, {}, kid);
      await expect(auth.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    }
  });

  it('a token whose HMAC key is the public key (key confusion) is rejected', async () => {
    const publicKey = keys.RS256!.publicKey;
    const forms = [
      publicKey.export({ type: 'spki', format: 'pem' }) as string,
      publicKey.export({ type: 'spki', format: 'der' }) as Buffer,
      publicKey.export({ type: 'pkcs1', format: 'pem' }) as string,
    ];
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const exp = Math.floor(Date.now() / 1000) + 3600;
    for (const iss of ['helmdeck', 'https://idp.example']) {
      for (const form of forms) {
        const text = `${encode({ alg: 'HS256', kid: 'RS256' })}.${encode({ sub: 'ada', iss, aud: 'helmdeck-api', exp })}`;
        const token = `${text}.${createHmac('sha256', form).update(text).digest('base64url')}`;
        await expect(auth.verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
      }
    }
  });

  it('an HS256 token is rejected if only a key set is configured', async () => {
    const only = createAuth({ ...options, jwks: jwks(`${base}/jwks`) });
    const minted = await auth.mint({ caller: { subject: 'bob' }, scopes: ['admin'], ttlSeconds: 60 });
    await expect(only.verify(minted.token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(only.canMint).toBe(false);
    await expect(only.mint({ caller: { subject: 'a' }, scopes: [], ttlSeconds: 60 })).rejects.toMatchObject({
      code: 'login_disabled',
    });
  });

  it.each(['/broken', '/html', ''])(
    'a provider that is unreachable or returns garbage (%s) is reported as 503, not 401',
    async (path) => {
      const url = path === '' ? 'http://127.0.0.1:1/jwks' : base + path;
      const cut = createAuth({ ...options, jwks: jwks(url) });
      const token = await sign('ES256', keys.ES256!.privateKey);
      await expect(cut.verify(token)).rejects.toMatchObject({ code: 'resource_exhausted' });
    },
  );
});
