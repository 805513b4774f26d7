import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Running, type Sandbox } from '../e2e/helmdeck-process.ts';
import { findChromium } from '../support/services/chromium.ts';
import { freePort } from '../support/services/free-port.ts';
import { createTlsProxy, makeCertificate } from '../support/services/tls-proxy.ts';

// The built program behind a proxy with a certificate, as people run it: the proxy ends TLS, and tells in
// X-Forwarded-* who calls and how. Everything here goes through the proxy.

const CHROMIUM = findChromium();
const PASSWORD = 'a-long-test-password';
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-tls-'));
const certificate = makeCertificate(folder);
let proxy: Server;
let origin: string;
let port: number;
let sandbox: Sandbox;
let server: Running;
let browser: Browser;

/** A request over TLS that trusts the certificate; `from` is the address of the client. */
async function send(url: string, init: RequestInit & { from?: string } = {}): Promise<Response> {
  const { method = 'GET', body, from } = init;
  const sent = request(url, {
    method,
    ca: certificate!.cert,
    headers: Object.fromEntries(new Headers(init.headers)),
    family: 4,
    ...(from === undefined ? {} : { localAddress: from }),
  });
  sent.end(body === undefined || body === null ? undefined : String(body));
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const text = Buffer.concat(chunks);
  return new Response(text.length === 0 ? null : text, { status: answer.statusCode!, headers });
}
const options = { [oauth.customFetch]: (url: string, init: object) => send(url, init as RequestInit) };

const runs = CHROMIUM !== undefined && certificate !== undefined;
beforeAll(async () => {
  if (!runs) return;
  port = await freePort();
  origin = `https://localhost:${port}`;
  proxy = createTlsProxy(certificate!, () => server.url);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  sandbox = createSandbox();
  Object.assign(sandbox.env, {
    HELMDECK_PUBLIC_URL: origin,
    HELMDECK_TRUSTED_PROXIES: '127.0.0.1',
    HELMDECK_ADMIN_PASSWORD: PASSWORD,
  });
  server = await sandbox.serve('--init');
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  await sandbox?.remove();
  proxy?.closeAllConnections();
  proxy?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!runs)('behind a proxy that ends TLS', () => {
  it('an application discovers, registers, is allowed in a browser, calls, refreshes and is revoked over https', async () => {
    const mcpUrl = new URL(`${origin}/api/v1/mcp`);
    const challenge = (await send(mcpUrl.href, { method: 'POST' })).headers.get('www-authenticate');
    expect(challenge).toContain(
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/api/v1/mcp"`,
    );
    const { authorization_servers: issuers } = await oauth.processResourceDiscoveryResponse(
      mcpUrl,
      await oauth.resourceDiscoveryRequest(mcpUrl, options),
    );
    expect(issuers).toEqual([origin]);
    const issuer = new URL(origin);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
    );
    const callback = `${origin}/callback`;
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        { client_name: 'Over TLS', redirect_uris: [callback] },
        options,
      ),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(as.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: callback,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      resource: mcpUrl.href,
      scope: 'memory:read memory:write',
    }).toString();

    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      // The first question who is signed in is answered with 401.
      if (message.type() === 'error' && !message.text().includes('401')) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(url.href);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect Over TLS?' }).waitFor();
    const [cookie] = (await context.cookies(`${origin}/api/v1/x`)).filter(
      ({ name }) => name === 'helmdeck_session',
    );
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' });
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL((at) => at.pathname === '/callback');
    expect(problems).toEqual([]);
    const parameters = oauth.validateAuthResponse(as, client, new URL(page.url()), state);
    await context.close();

    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        parameters,
        callback,
        verifier,
        options,
      ),
    );
    const listTools = (token: string) =>
      send(mcpUrl.href, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    expect(await (await listTools(tokens.access_token)).text()).toContain('memory_recall');
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, options),
    );
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, oauth.None(), refreshed.refresh_token!, options),
    );
    expect((await listTools(refreshed.access_token)).status).toBe(401);
  });

  it('a lock-out is for the address that the proxy names, whatever the client claims, and for no other', async () => {
    const logIn = async (from: string, password: string, claimed?: string) =>
      (
        await send(`${origin}/api/v1/auth/login`, {
          method: 'POST',
          from,
          headers: {
            'content-type': 'application/json',
            ...(claimed === undefined ? {} : { 'x-forwarded-for': claimed }),
          },
          body: JSON.stringify({ username: 'admin', password }),
        })
      ).status;
    for (let guess = 0; guess < 5; guess++)
      expect(await logIn('127.0.0.9', 'wrong', `203.0.113.${guess}`)).toBe(401);
    expect(await logIn('127.0.0.9', PASSWORD, '203.0.113.77')).toBe(429);
    expect(await logIn('127.0.0.10', PASSWORD)).toBe(200);
  });

  it('"doctor --public" walks the whole way over https, and says what keeps cloud clients away', async () => {
    const doctor = async (env: Record<string, string> = {}) => {
      const { out } = await sandbox.run(['doctor', '--public', '--json'], { env });
      const { checks } = JSON.parse(out) as { checks: { name: string; status: string; message: string }[] };
      return Object.fromEntries(checks.map(({ name, status, message }) => [name, `${status}: ${message}`]));
    };
    expect(await doctor({ NODE_EXTRA_CA_CERTS: certificate!.file })).toMatchObject({
      'Public URL': `warn: It has the port ${port}; some cloud clients reach only 443.`,
      'Public name': expect.stringMatching(/^warn: localhost resolves to .* which is not public/),
      Reached: `ok: ${origin} is a Helmdeck server.`,
      Issuer: `ok: ${origin}, letter for letter.`,
      Connecting: 'ok: Registered, allowed, got a token, listed tools, refreshed, and was disconnected.',
    });
    expect((await doctor()).Reached).toBe(
      `fail: ${origin} could not be reached: its certificate is self-signed.`,
    );
  });
});
