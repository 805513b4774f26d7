import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { createSandbox, type Running, type Sandbox } from '../e2e/helmdeck-process.ts';
import { findChromium } from '../support/services/chromium.ts';

/** Tests of the UI are skipped without it; `findChromium` logs why. */
export const CHROMIUM = findChromium();
export const PASSWORD = 'a-long-test-password';
const JWT_SECRET = 'a-signing-secret-used-by-this-test-only';

/** A server with its own database, and a Chromium connected to it. */
export interface BrowserFixture {
  sandbox: Sandbox;
  server: Running;
  browser: Browser;
  /** Calls the API with the first token, as another client would. */
  api(method: string, path: string, body?: unknown): Promise<Response>;
  /** Calls the API as the person; the first token is an agent's: it may not decide, and proposes where a person spoke. */
  asPerson: BrowserFixture['api'];
  token: string;
  /** Opens a signed-in page; console errors, exceptions and requests to other hosts are added to `pageErrors`. */
  open(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenPage {
  page: Page;
  context: BrowserContext;
  pageErrors: string[];
  /** Waits until the page has the answers to everything that it asked for. */
  quiet(): Promise<void>;
}

/** A token as the server signs it, with any TTL. */
export function signedToken(subject: string, ttlSeconds: number): string {
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    sub: subject,
    scopes: ['memory:read'],
    iss: 'helmdeck',
    iat: seconds,
    exp: seconds + ttlSeconds,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`;
}

/** Polls until the condition holds; the timeout allows for a busy machine. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600 && !(await holds()); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (!(await holds())) throw new Error(`the condition did not hold within the timeout: ${holds}`);
}

/** Frames in which a page that has an answer can ask for more. */
const QUIET_FRAMES = 3;

function requestCounter(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  // The stream of events never ends.
  page.on('request', (request) => request.resourceType() !== 'eventsource' && pending.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => pending.delete(request));
  const frame = () => page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  return async () => {
    for (let frames = 0; frames < QUIET_FRAMES; frames++) {
      await frame();
      if (pending.size > 0) frames = -1;
    }
  };
}

/** `prepare` may change the folder and the environment before the server starts. */
export async function openBrowserFixture(
  prepare: (sandbox: Sandbox) => void | Promise<void> = () => {},
): Promise<BrowserFixture> {
  const sandbox = createSandbox();
  sandbox.env.HELMDECK_ADMIN_PASSWORD = PASSWORD;
  sandbox.env.HELMDECK_JWT_SECRET = JWT_SECRET;
  await prepare(sandbox);
  const [server, browser] = await Promise.all([
    sandbox.serve('--init'),
    chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    }),
  ]);
  const secrets = readFileSync(join(sandbox.dir, 'data/secrets.env'), 'utf8');
  const token = /^HELMDECK_TOKEN=(\S+)$/m.exec(secrets)?.[1] ?? '';
  const callWith =
    (bearer: string): BrowserFixture['api'] =>
    (method, path, body) =>
      fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
  let login: Promise<Response> | undefined;
  const asPerson: BrowserFixture['api'] = async (...call) => {
    login ??= callWith('')('POST', '/auth/login', { username: 'admin', password: PASSWORD });
    const { token: own } = (await (await login).clone().json()) as { token: string };
    return callWith(own)(...call);
  };
  return {
    sandbox,
    server,
    browser,
    api: callWith(token),
    asPerson,
    token,
    async open(path = '/', options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      const pageErrors: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') pageErrors.push(message.text());
      });
      page.on('pageerror', (error) => pageErrors.push(String(error)));
      page.on('request', (request) => {
        if (!/^(blob:|data:)/.test(request.url()) && !request.url().startsWith(server.url))
          pageErrors.push(`request to ${request.url()}`);
      });
      await context.request.post(`${server.url}/api/v1/auth/session`, {
        headers: { origin: server.url },
        data: { username: 'admin', password: PASSWORD },
      });
      const quiet = requestCounter(page);
      await page.goto(server.url + path);
      return { page, context, pageErrors, quiet };
    },
    async close() {
      await browser.close();
      await sandbox.remove();
    },
  };
}
