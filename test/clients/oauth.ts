import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { findChromium } from '../support/services/chromium.ts';
import { freePort } from '../support/services/free-port.ts';
import { createTlsProxy, makeCertificate } from '../support/services/tls-proxy.ts';
import { check, eventually } from './checks.ts';
import { claudeProgram, QUIET } from './claude-code.ts';
import { createClientHome } from './client-home.ts';
import { installedClient } from './installed-client.ts';

// Clients that are given nothing but an https URL: they discover the server, register, print the address of the consent
// page, and wait for the code, while a real browser signs in and allows them. A proxy in front of the server ends TLS.

const PASSWORD = 'a-long-test-password';

interface PublicServer {
  helmdeck: TestServer;
  origin: string;
  /** What makes Node programs trust the certificate. */
  trust: Record<string, string>;
  /** Opens the consent page that a client printed, signs in if need be, and allows it; returns what the page said. */
  allow(url: string): Promise<string>;
  close(): Promise<void>;
}

async function startPublicServer(more: Record<string, string> = {}): Promise<PublicServer> {
  const executablePath = findChromium();
  assert.ok(executablePath, 'these checks need Chromium');
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-tls-'));
  const certificate = makeCertificate(folder);
  assert.ok(certificate, 'these checks need openssl');
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  const helmdeck = await testServer({
    socket: true,
    env: {
      HELMDECK_PUBLIC_URL: origin,
      HELMDECK_TRUSTED_PROXIES: '127.0.0.1',
      HELMDECK_ADMIN_PASSWORD: PASSWORD,
      ...more,
    },
  });
  const proxy = createTlsProxy(certificate, () => helmdeck.url);
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  let browser: Browser | undefined;
  return {
    helmdeck,
    origin,
    trust: { NODE_EXTRA_CA_CERTS: certificate.file },
    async allow(url) {
      browser ??= await chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      });
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      try {
        const page = await context.newPage();
        await page.goto(url);
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        const card = page.locator('.consent');
        const button = page.getByRole('button', { name: 'Allow', exact: true });
        await button.waitFor();
        const text = await card.innerText();
        await button.click();
        await page.waitForURL((at) => at.origin !== origin);
        await page.waitForLoadState();
        return text;
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser?.close();
      proxy.closeAllConnections();
      proxy.close();
      await helmdeck.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address of the consent page that a client printed. */
async function printedUrl(output: () => string, origin: string): Promise<string> {
  const pattern = new RegExp(`${origin}/oauth/authorize\\?[\\w%&=.~+-]+`);
  const text = await eventually(
    async () => output(),
    (each) => pattern.test(each),
  );
  return pattern.exec(text)![0];
}

/** The tokens of the registry that are connections of applications. */
const connections = async ({ helmdeck }: PublicServer) =>
  (await helmdeck.memory!.tokens.list()).filter(({ application }) => application !== undefined);

/** `claude mcp add` with a URL, `claude mcp login`, and its health check with the tokens that it got. */
export async function claudeCodeByUrl(version: string): Promise<void> {
  const program = claudeProgram(version);
  // It prefers its metadata document at claude.ai, which only a server that reaches the internet can read.
  const server = await startPublicServer({ HELMDECK_OAUTH_CLIENT_DOCUMENTS: 'off' });
  const home = createClientHome({ ...QUIET, ...server.trust });
  try {
    await check('Claude Code, given only an https URL, says that the server wants a sign-in', async () => {
      await home.run(program, [
        'mcp',
        'add',
        '--transport',
        'http',
        'helmdeck',
        `${server.origin}/api/v1/mcp`,
      ]);
      assert.match((await home.run(program, ['mcp', 'list'])).all, /^helmdeck: .*Needs authentication/m);
    });
    await check(
      'Claude Code registers, is allowed in the browser, and connects with its own tokens',
      async () => {
        const login = home.startInTerminal(program, ['mcp', 'login', 'helmdeck']);
        const text = await server.allow(await printedUrl(login.output, server.origin));
        assert.match(text, /Claude Code/);
        await eventually(
          async () => login.child.exitCode,
          (code) => code === 0,
        );
        assert.match((await home.run(program, ['mcp', 'list'])).all, /^helmdeck: .*Connected$/m);
        assert.equal((await connections(server)).length, 1);
      },
    );
  } finally {
    await home.remove();
    await server.close();
  }
}

/** The command line of the MCP Inspector, given only a URL. */
export async function inspectorByUrl(version: string): Promise<void> {
  const program = join(
    installedClient('@modelcontextprotocol/inspector', version),
    'clients/launcher/build/index.js',
  );
  const server = await startPublicServer();
  const home = createClientHome(server.trust);
  try {
    await check(
      'MCP Inspector, given only an https URL, is allowed in the browser and lists the tools',
      async () => {
        const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
        const listing = home.startInTerminal(program, [
          ...['--cli', `${server.origin}/api/v1/mcp`, '--transport', 'http', '--method', 'tools/list'],
          ...['--callback-url', callback, '--connect-timeout', '0'],
        ]);
        const text = await server.allow(await printedUrl(listing.output, server.origin));
        assert.match(text, /Inspector/);
        await eventually(
          async () => listing.child.exitCode,
          (code) => code === 0,
        );
        assert.match(listing.output(), /"memory_recall"/);
        assert.equal((await connections(server)).length, 1);
      },
    );
  } finally {
    await home.remove();
    await server.close();
  }
}

/** The scenarios of the conformance suite for authorization servers, up to the newest revision of the protocol. */
export async function conformanceAuthorization(version: string): Promise<void> {
  const program = join(installedClient('@modelcontextprotocol/conformance', version), 'dist/index.js');
  const server = await startPublicServer();
  const home = createClientHome(server.trust);
  try {
    await check('conformance: the scenarios for authorization servers', async () => {
      const port = await freePort();
      const registered = await fetch(`${server.helmdeck.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'Conformance',
          redirect_uris: [`http://127.0.0.1:${port}/callback`],
        }),
      });
      const { client_id: clientId } = (await registered.json()) as { client_id: string };
      const suite = home.start(program, [
        ...['authorization', '--url', server.origin, '--client-id', clientId],
        ...['--resource', `${server.origin}/api/v1/mcp`, '--port', String(port)],
      ]);
      await server.allow(await printedUrl(suite.output, server.origin));
      const code = await eventually(
        async () => suite.child.exitCode,
        (each) => each !== null,
      );
      const output = suite.output();
      assert.equal(code, 0, output.slice(-3_000));
      assert.doesNotMatch(output, /FAILURE|WARNING/);
      for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
        assert.match(output, new RegExp(`✓ ${scenario}`), output.slice(-3_000));
    });
  } finally {
    await home.remove();
    await server.close();
  }
}
