import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';
import { isRunning } from '../support/is-running.ts';
import { BIN, createSandbox, type Sandbox } from './helmdeck-process.ts';

// What the built program prints when it starts, and where.

let sandbox: Sandbox;
afterEach(() => sandbox?.remove());

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('serve --init prints a login, a token and first steps, every time, and to a log no secret', async () => {
  sandbox = createSandbox();
  const first = await sandbox.serve('--init');
  const text = first.out();
  const saved = readFileSync(join(sandbox.dir, 'data/secrets.env'), 'utf8');
  for (const [, secret] of saved.matchAll(/^HELMDECK_\w+=(.+)$/gm)) expect(text).not.toContain(secret);
  expect(text).toContain(`First start: created HELMDECK_MEMORY_KEY`);
  const secrets = join(sandbox.dir, 'data/secrets.env');
  expect(text).toContain(secrets);
  expect(modeOf(secrets)).toBe(0o600);
  expect(modeOf(join(sandbox.dir, 'data/server.json'))).toBe(0o600);
  for (const line of text.split('\n').filter((each) => each.startsWith('  curl'))) {
    const done = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
    expect(JSON.parse(done.stdout)).toMatchObject({ key: 'user/editor' });
  }
  const [, user, name] = /Login +(\S+) \/ (\w+) in /.exec(text)!;
  const password = new RegExp(`^${name}=(.+)$`, 'm').exec(saved)![1];
  const login = await fetch(`${first.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: user, password }),
  });
  expect(login.status).toBe(200);
  // All act as the same subject: login and commands see what curl stored.
  expect((await sandbox.run(['get', 'user/editor'])).out).toBe('prefers vim\n');
  await first.stop('SIGINT');

  const second = await sandbox.serve('--init');
  const rest = (all: string) => all.slice(all.indexOf('  Login')).replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  expect(rest(second.out())).toBe(rest(text));
  expect(second.out()).not.toContain('First start');
  const { tokens } = await sandbox.json<{ tokens: { client: string }[] }>('token', 'list');
  expect(tokens.filter((token) => token.client === 'first-token')).toHaveLength(1);
});

it('serve --init prints the login and the token themselves on a terminal', async () => {
  sandbox = createSandbox();
  const line = `'${process.execPath}' '${BIN}' serve --init`;
  const options = { cwd: sandbox.dir, env: sandbox.env, stdio: 'pipe' } as const;
  const child = spawn('script', ['-qec', line, '/dev/null'], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (/Read it back:\s+curl[^\n]*\n/.test(text)) break;
  }
  const saved = readFileSync(join(sandbox.dir, 'data/secrets.env'), 'utf8');
  for (const name of ['ADMIN_PASSWORD', 'TOKEN'])
    expect(text).toContain(new RegExp(`^HELMDECK_${name}=(.+)$`, 'm').exec(saved)![1]);
  expect(text).not.toContain(/^HELMDECK_MEMORY_KEY=(.+)$/m.exec(saved)![1]);
});

it('a server stops when its terminal is closed, although it can no longer write its log', async () => {
  sandbox = createSandbox();
  const env = { ...sandbox.env, HELMDECK_LOG_LEVEL: 'info' };
  const line = `'${process.execPath}' '${BIN}' serve`;
  const terminal = spawn('script', ['-qec', line, '/dev/null'], { cwd: sandbox.dir, env, stdio: 'pipe' });
  const file = join(sandbox.dir, 'data/server.json');
  await expect.poll(() => existsSync(file)).toBe(true);
  const { pid } = JSON.parse(readFileSync(file, 'utf8'));
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')));
  terminal.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(existsSync(`${sandbox.db}-wal`)).toBe(false);
});

it('a first start on a taken port creates neither secrets nor a database', async () => {
  sandbox = createSandbox();
  const server = await sandbox.serve();
  const folder = join(sandbox.dir, 'other');
  const env = { HELMDECK_ADDR: new URL(server.url).host, HELMDECK_DB: join(folder, 'helmdeck.db') };
  const refused = await sandbox.run(['serve', '--init'], { env });
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('is already in use');
  expect(existsSync(folder)).toBe(false);
});

it('config --help lists every setting, also while one of them is invalid', async () => {
  sandbox = createSandbox();
  const { code, out } = await sandbox.run(['config', '--help'], { env: { HELMDECK_RATE_LIMIT: 'x' } });
  expect(code).toBe(0);
  for (const name of Object.keys(VARIABLES)) expect(out).toContain(`  HELMDECK_${name} `);
});

it('serve without secrets prints a warning and a valid token', async () => {
  sandbox = createSandbox();
  const server = await sandbox.serve();
  const token = /^Token: (\S+)$/m.exec(server.out())![1]!;
  expect(server.err()).toContain('HELMDECK_JWT_SECRET is not set');
  const env = { HELMDECK_URL: server.url, HELMDECK_TOKEN: token };
  expect((await sandbox.run(['remember', 'k', 'v'], { env })).code).toBe(0);
  await server.stop();
  const alone = await sandbox.run(['get', 'k']);
  expect(alone).toMatchObject({ code: 10, out: '' });
  expect(alone.err).toContain('no memory key is set');
});
