import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { connectClient } from '../e2e/mcp/clients.ts';
import { freePort } from '../support/services/free-port.ts';
import { violationsIn } from './accessibility.ts';
import { CHROMIUM } from './browser-fixture.ts';
import { overflowing, twoFrames } from './overflow.ts';

// An independent OAuth client and a real browser: everything that an application and a person do to connect.

const PASSWORD = 'a-long-test-password';
const http = { [oauth.allowInsecureRequests]: true };
let server: TestServer;
let origin: string;
let browser: Browser;
/** The application's own web server: its callback, its metadata document, and pages that attack. */
let app: Server;
let appOrigin: string;
const pages: Record<string, string> = {};

beforeAll(async () => {
  if (!CHROMIUM) return;
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await testServer({
    socket: true,
    env: {
      HELMDECK_ADDR: `127.0.0.1:${port}`,
      HELMDECK_PUBLIC_URL: origin,
      HELMDECK_ADMIN_PASSWORD: PASSWORD,
      HELMDECK_EGRESS_ALLOWLIST: '127.0.0.1',
    },
  });
  app = createServer((request, response) => {
    const path = new URL(request.url!, 'http://app').pathname;
    response.setHeader('content-type', path.endsWith('.json') ? 'application/json' : 'text/html');
    response.end(pages[path] ?? '<title>Back at the application</title>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appOrigin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});
afterAll(async () => {
  await browser?.close();
  app?.close();
  await server?.close();
});

async function open(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  return { context, page: await context.newPage() };
}

const signIn = (context: BrowserContext) =>
  context.request.post(`${origin}/api/v1/auth/session`, {
    headers: { origin },
    data: { username: 'admin', password: PASSWORD },
  });

/** Discovery as MCP clients do it: from the challenge of the MCP URL. */
async function discover(mcpUrl: string) {
  const refused = await fetch(mcpUrl, { method: 'POST' });
  const challenge = refused.headers.get('www-authenticate')!;
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(challenge)![1]!;
  expect(metadataUrl).toBe(`${origin}/.well-known/oauth-protected-resource${new URL(mcpUrl).pathname}`);
  const resource = await oauth.processResourceDiscoveryResponse(
    new URL(mcpUrl),
    await oauth.resourceDiscoveryRequest(new URL(mcpUrl), http),
  );
  const issuer = new URL(resource.authorization_servers![0]!);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
  );
  return { as, resource: resource.resource, scope: /scope="([^"]+)"/.exec(challenge)![1]! };
}

const register = async (as: oauth.AuthorizationServer, name = 'Sample application') =>
  oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      {
        client_name: name,
        redirect_uris: [`${appOrigin}/callback`],
        token_endpoint_auth_method: 'client_secret_post',
      },
      http,
    ),
  );

async function requestUrl(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  resource: string,
  scope: string,
) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: `${appOrigin}/callback`,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    scope,
  }).toString();
  return { url: url.href, verifier, state };
}

async function redeem(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  at: URL,
  verifier: string,
  state: string,
) {
  const parameters = oauth.validateAuthResponse(as, client, at, state); // checks state and iss
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    `${appOrigin}/callback`,
    verifier,
    http,
  );
  return oauth.processAuthorizationCodeResponse(as, client, response);
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });
const backAt = async (page: Page) => {
  await page.waitForURL((url) => url.pathname === '/callback');
  return new URL(page.url());
};
const MCP = '/api/v1/mcp/memory';

async function toolsSeen(token: string, path = MCP): Promise<string[]> {
  const client = await connectClient(server, '2025', '', { token, path });
  onTestFinished(() => client.close());
  return (await client.listTools()).tools.map(({ name }) => name);
}

describe.skipIf(!CHROMIUM)('connecting an application', () => {
  it('an application registers, the person signs in and allows it, and it calls, refreshes and is revoked', async () => {
    const { as, resource, scope } = await discover(origin + MCP);
    expect([resource, scope]).toEqual([origin + MCP, 'memory:read memory:write']);
    const client = await register(as);
    expect(client.token_endpoint_auth_method).toBe('none');
    const { url, verifier, state } = await requestUrl(as, client, resource, scope);
    const { page } = await open();
    await page.goto(url);
    // Not signed in yet: the sign-in comes first and returns to the question.
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect Sample application?' }).waitFor();
    const card = await page.locator('.consent').innerText();
    for (const shown of [
      'A program on this computer',
      'admin',
      resource,
      'Read your memory',
      'Write to your memory',
    ])
      expect(card).toContain(shown);
    await allow(page).click();
    const tokens = await redeem(as, client, await backAt(page), verifier, state);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope });
    expect(await toolsSeen(tokens.access_token)).toContain('memory_store');
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, http),
    );
    expect(await toolsSeen(refreshed.access_token)).toContain('memory_recall');
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, oauth.None(), refreshed.refresh_token!, http),
    );
    const over = await fetch(origin + MCP, {
      method: 'POST',
      headers: { authorization: `Bearer ${refreshed.access_token}` },
    });
    expect(over.status).toBe(401);
  });

  it('a person with spaces chooses which of them an application may use, also after a refresh', async () => {
    const admin = { authorization: `Bearer ${await server.token('admin', { scopes: ['admin'] })}` };
    for (const slug of ['platform', 'sales'])
      expect((await server.call(undefined, 'POST', '/api/v1/spaces', { slug }, admin)).status).toBe(201);
    const { as, resource, scope } = await discover(origin + MCP);
    const client = await register(as, 'Narrowed');
    const { url, verifier, state } = await requestUrl(as, client, resource, scope);
    const { page, context } = await open({ bypassCSP: true });
    await signIn(context);
    await page.goto(url);
    await page.getByRole('group', { name: 'In the spaces' }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel('sales').uncheck();
    await allow(page).click();
    const tokens = await redeem(as, client, await backAt(page), verifier, state);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, http),
    );
    for (const { access_token: token } of [tokens, refreshed]) {
      const connected = await connectClient(server, '2025', '', { token, path: MCP });
      onTestFinished(() => connected.close());
      const recall = async (space: string) =>
        (await connected.callTool({ name: 'memory_recall', arguments: { query: 'x', space } })).isError ??
        false;
      expect([await recall('platform'), await recall('sales')]).toEqual([false, true]);
    }
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, oauth.None(), refreshed.refresh_token!, http),
    );
    for (const slug of ['platform', 'sales'])
      await server.call(undefined, 'DELETE', `/api/v1/spaces/${slug}`, undefined, admin);
  });

  it('an application with a metadata document is vouched for by its host, and is cut off on the Connect page', async () => {
    const { as, resource, scope } = await discover(`${origin}/api/v1/mcp`);
    expect(as.client_id_metadata_document_supported).toBe(true);
    const client = { client_id: `${appOrigin}/client.json` };
    pages['/client.json'] = JSON.stringify({
      ...client,
      client_name: 'Documented',
      redirect_uris: [`${appOrigin}/callback`],
      token_endpoint_auth_method: 'none',
    });
    const { url, verifier, state } = await requestUrl(as, client, resource, scope);
    const { page, context } = await open();
    await signIn(context);
    await page.goto(url);
    await page.getByText(new URL(appOrigin).host, { exact: true }).waitFor();
    await page.getByLabel('Run packs').uncheck();
    await page.getByLabel('Run pipelines').uncheck();
    await allow(page).click();
    const tokens = await redeem(as, client, await backAt(page), verifier, state);
    expect(tokens.scope).toBe('memory:read memory:write');
    expect(await toolsSeen(tokens.access_token, '/api/v1/mcp')).not.toContain('http_fetch');
    await page.goto(`${origin}/connect`);
    const card = page.locator('.card', {
      has: page.getByRole('heading', { name: 'Connected applications' }),
    });
    await card.getByRole('button', { name: 'Disconnect Documented' }).click();
    await card.getByRole('button', { name: 'Disconnect Documented for good' }).click();
    await card.waitFor({ state: 'detached' });
    const refused = await oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      tokens.refresh_token!,
      http,
    );
    await expect(oauth.processRefreshTokenResponse(as, client, refused)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('a person who denies sends the application away without a code, and it can tell by the error', async () => {
    const { as, resource, scope } = await discover(origin + MCP);
    const client = await register(as);
    const { url, state } = await requestUrl(as, client, resource, scope);
    const { page, context } = await open();
    await signIn(context);
    await page.goto(url);
    await page.getByRole('button', { name: 'Deny' }).click();
    const at = await backAt(page);
    expect(at.searchParams.has('code')).toBe(false);
    expect(() => oauth.validateAuthResponse(as, client, at, state)).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    );
  });

  it('a request that names a foreign redirect URI shows the problem and leads nowhere', async () => {
    const { as, resource, scope } = await discover(origin + MCP);
    const client = await register(as);
    const { url } = await requestUrl(as, client, resource, scope);
    const { page, context } = await open();
    await signIn(context);
    await page.goto(url.replace(encodeURIComponent('/callback'), encodeURIComponent('/elsewhere')));
    await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
    await page.getByText('The application did not register this redirect URI.').waitFor();
    expect(await page.getByRole('button', { name: /Allow|Deny|back/ }).count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(origin);
  });

  it('an application that is not registered, or whose document cannot be read, is a problem of its own and asks nobody to sign in again', async () => {
    const { as, resource, scope } = await discover(origin + MCP);
    const { page, context } = await open();
    await signIn(context);
    for (const [client_id, problem] of [
      ['app_none', 'The application is not registered here, or was not used for 90 days.'],
      [
        `${appOrigin}/not-there.json`,
        'The client metadata document cannot be used: it is not a JSON object.',
      ],
      ['https://127.0.0.1:9/client.json', 'HELMDECK_OAUTH_CLIENT_DOCUMENTS=off'],
    ] as const) {
      await page.goto((await requestUrl(as, { client_id }, resource, scope)).url);
      await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
      await page.getByText(problem).waitFor();
      expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
    }
  });

  it('a page of another site can neither frame the question nor answer it with the cookie of the person', async () => {
    const { as, resource, scope } = await discover(origin + MCP);
    const { url } = await requestUrl(as, await register(as), resource, scope);
    const body = JSON.stringify({ query: new URL(url).search, decision: 'allow' });
    // The same site for cookies, because ports do not count: only the origin differs.
    pages['/clickjack'] = `<iframe src="${url.replaceAll('&', '&amp;')}" width="600" height="800"></iframe>`;
    pages['/csrf'] = `<form method="post" enctype="text/plain" action="${origin}/api/v1/oauth/consent">
      <input name='${body.slice(0, -1)},"x":"' value='"}'></form>`;
    const { page, context } = await open();
    await signIn(context);
    await page.goto(`${appOrigin}/clickjack`, { waitUntil: 'load' });
    const [, frame] = page.frames();
    expect(await frame!.locator('.consent').count()).toBe(0);
    expect(frame!.url()).toMatch(/^chrome-error:/);
    await page.goto(`${appOrigin}/csrf`);
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/oauth/consent')) answers.push(response.status());
    });
    for (const mode of ['no-cors', 'cors'])
      await page.evaluate(
        async ([to, sent, how]) =>
          fetch(to!, { method: 'POST', mode: how as 'cors', credentials: 'include', body: sent }).catch(
            () => {},
          ),
        [`${origin}/api/v1/oauth/consent`, body, mode],
      );
    await Promise.all([
      page.waitForURL(`${origin}/api/v1/oauth/consent`),
      page.evaluate("document.querySelector('form').submit()"),
    ]);
    expect(answers.length).toBeGreaterThan(1);
    expect(new Set(answers)).toEqual(new Set([403]));
    const { parts } = server.memory!;
    const codes = await parts.store.scan(parts.directory.system.ns, { kinds: ['oauth-code'], limit: 100 });
    const opened = codes.filter(({ expiresMs, updatedMs }) => expiresMs! - updatedMs === 60_000);
    expect(opened).toEqual([]); // those of the other tests were redeemed
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('the question is accessible and fits, %s at %d pixels', async (colorScheme, width) => {
    const { as, resource } = await discover(`${origin}/api/v1/mcp`);
    const long = `An application ${'with a long name '.repeat(3)}`;
    const { url } = await requestUrl(
      as,
      await register(as, long),
      resource,
      'memory:read memory:write memory:propose packs:run pipelines:run vault:read vault:write',
    );
    const { page, context } = await open({ colorScheme, bypassCSP: true, viewport: { width, height: 760 } });
    await signIn(context);
    await page.goto(url);
    await page.getByRole('heading', { name: /^Connect An application/ }).waitFor();
    await twoFrames(page);
    expect(await violationsIn(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    if (process.env.OAUTH_SHOTS)
      await page.screenshot({
        path: `${process.env.OAUTH_SHOTS}/consent-${colorScheme}-${width}.png`,
        fullPage: true,
      });
    await page.goto(`${url}&response_type=token`);
    await page.getByText('This request cannot be allowed').waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });
});
