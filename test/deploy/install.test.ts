import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { installPackage } from '../support/services/debian-package.ts';
import { COMPOSE_DIR, ROOT } from './compose-files.ts';

// Without Docker: fake-docker.sh logs the commands that install.sh runs.
let dir: string;
let log: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-install-'));
  log = join(dir, 'docker.log');
  mkdirSync(join(dir, 'bin'));
  mkdirSync(join(dir, 'scripts'));
  cpSync(COMPOSE_DIR, join(dir, 'deploy/compose'), {
    recursive: true,
    filter: (path) => !/\/\.env/.test(path),
  });
  cpSync(join(ROOT, 'scripts/install.sh'), join(dir, 'scripts/install.sh'));
  cpSync(join(import.meta.dirname, 'fake-docker.sh'), join(dir, 'bin/docker'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const secrets = () => join(dir, 'deploy/compose/.env.local');
const choices = () => join(dir, 'deploy/compose/.env');
const dockerCalls = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const lines = (path: string) =>
  Object.fromEntries(
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  ) as Record<string, string>;
function install(args: string[] = [], env: Record<string, string> = {}) {
  const PATH = env.PATH ?? `${join(dir, 'bin')}:${process.env.PATH}`;
  const base = {
    FAKE_LOG: log,
    FAKE_FAIL: '',
    FAKE_OPENCLAW: '',
    FAKE_FORGETFUL: '',
    HELMDECK_INSTALL_WAIT: '2',
  };
  return spawnSync('/bin/bash', [join(dir, 'scripts/install.sh'), ...args], {
    encoding: 'utf8',
    env: { ...base, ...env, PATH },
  });
}

describe('install.sh', () => {
  it('install.sh on a new machine creates secrets readable only by their owner, builds, starts and prints the next steps', () => {
    const done = install();
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
    for (const path of [secrets(), choices()]) expect(statSync(path).mode & 0o777).toBe(0o600);
    const made = lines(secrets());
    expect(loadConfig(made).warnings).toEqual([]);
    expect(made.HELMDECK_MEMORY_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(made.HELMDECK_MEMORY_KEY).not.toBe(made.HELMDECK_VAULT_KEY);
    expect(lines(choices())).toEqual({
      COMPOSE_PROJECT_NAME: 'helmdeck',
      COMPOSE_FILE: 'compose.yaml:compose.embeddings.yml',
    });
    expect(dockerCalls()).toEqual(
      expect.arrayContaining([
        'compose build helmdeck-control-plane',
        'compose up -d --no-build --remove-orphans',
      ]),
    );
    expect(done.stdout).toContain('http://127.0.0.1:3000');
    for (const secret of [made.HELMDECK_MEMORY_KEY!, made.HELMDECK_ADMIN_PASSWORD!])
      expect(done.stdout + done.stderr).not.toContain(secret);
  });

  it('install.sh keeps every secret and every choice when it runs again', () => {
    install(['--no-embeddings', '--with', 'postgres']);
    const before = [lines(secrets()), lines(choices())];
    expect(before[1]!.COMPOSE_FILE).toBe('compose.yaml:compose.postgres.yml');
    expect(before[1]!.POSTGRES_PASSWORD).toMatch(/^[0-9a-f]{48}$/);
    expect(install().status).toBe(0);
    expect([lines(secrets()), lines(choices())]).toEqual(before);
    install(['--with', 'garage']);
    expect(lines(choices()).COMPOSE_FILE).toBe('compose.yaml:compose.postgres.yml:compose.garage.yml');
    install(['--with', 'redis']);
    expect(lines(choices()).COMPOSE_FILE).toBe('compose.yaml:compose.redis.yml:compose.garage.yml');
  });

  it('install.sh adds a secret that a later version needs, and keeps what an operator wrote', () => {
    install();
    const kept = readFileSync(secrets(), 'utf8').replace(/^HELMDECK_VAULT_KEY=.*\n/m, '');
    writeFileSync(secrets(), `${kept}HELMDECK_LOG_LEVEL=debug\n`);
    chmodSync(secrets(), 0o644);
    install();
    expect(lines(secrets())).toMatchObject({
      HELMDECK_LOG_LEVEL: 'debug',
      HELMDECK_VAULT_KEY: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(statSync(secrets()).mode & 0o777).toBe(0o600);
  });

  it('install.sh --reset deletes the volumes and creates new secrets', () => {
    install();
    const before = lines(secrets()).HELMDECK_MEMORY_KEY;
    expect(install(['--reset']).status).toBe(0);
    expect(dockerCalls()).toContain('compose down --volumes --remove-orphans');
    expect(lines(secrets()).HELMDECK_MEMORY_KEY).not.toBe(before);
  });

  it('install.sh --reset keeps the secrets if it fails, because the data depends on them', () => {
    install();
    const before = lines(secrets());
    expect(install(['--reset'], { FAKE_FAIL: 'compose-down' }).status).toBe(4);
    expect(lines(secrets())).toEqual(before);
  });

  it('install.sh --no-build uses an existing image, or pulls it', () => {
    install(['--no-build']);
    expect(dockerCalls().filter((line) => /build h|pull/.test(line))).toEqual([]);
    install(['--no-build'], { FAKE_FAIL: 'image' });
    expect(dockerCalls()).toContain('compose pull helmdeck-control-plane');
  });

  it('install.sh --smoke stores, finds and forgets a fact, and fails if it is not found', () => {
    expect(install(['--smoke']).stdout).toContain('stored, found and forgotten');
    expect(dockerCalls().filter((line) => line.includes('helmdeck forget key:smoke/'))).toHaveLength(1);
    expect(install(['--smoke'], { FAKE_FORGETFUL: '1' })).toMatchObject({ status: 4 });
  });

  it('install.sh --help explains the flags and exit codes and changes nothing', () => {
    const done = install(['--help']);
    expect(done.status).toBe(0);
    for (const flag of ['--no-embeddings', '--reset', '--no-build', '--smoke', 'Exit codes'])
      expect(done.stdout).toContain(flag);
    expect(dockerCalls()).toEqual([]);
    expect(existsSync(secrets())).toBe(false);
  });

  it.each([
    ['an unknown option', ['--nope'], {}, 1, '--help'],
    ['an unknown overlay', ['--with', 'mysql'], {}, 1, 'postgres, redis or garage'],
    ['two databases', ['--with', 'postgres', '--with', 'redis'], {}, 1, 'choose one'],
    ['a daemon that does not answer', [], { FAKE_FAIL: 'info' }, 2, 'systemctl start docker'],
    ['an image that does not build', [], { FAKE_FAIL: 'compose-build' }, 3, '--no-build'],
    ['containers that do not start', [], { FAKE_FAIL: 'compose-up' }, 4, 'HELMDECK_PUBLISH'],
    ['a server that never gets healthy', [], { FAKE_HEALTH: 'starting' }, 4, 'docker logs'],
  ])('install.sh exits for %s with a specific code and a hint', (_title, args, env, code, hint) => {
    const done = install(args, env as Record<string, string>);
    expect(done.status).toBe(code);
    expect(done.stderr).toContain(hint);
  });

  it('install.sh without docker or Compose says what to install before it creates any file', () => {
    const tools = join(dir, 'tools');
    mkdirSync(tools);
    for (const tool of ['bash', 'dirname', 'cat', 'id', 'df', 'awk'])
      symlinkSync(
        spawnSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim(),
        join(tools, tool),
      );
    expect(install([], { PATH: tools })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('npm run up'),
    });
    symlinkSync(join(dir, 'bin/docker'), join(tools, 'docker'));
    const old = install([], { PATH: tools, FAKE_FAIL: 'compose-version' });
    expect(old).toMatchObject({ status: 2, stderr: expect.stringContaining('Compose is missing') });
    expect(existsSync(secrets())).toBe(false);
  });

  it('install.sh registers with OpenClaw if its container runs, and a failure there is only a warning', () => {
    const script = join(dir, 'scripts/openclaw-register-qmd.sh');
    writeFileSync(script, `#!/bin/sh\necho registered "$OPENCLAW_CONTAINER" >>"${log}"\nexit 3\n`, {
      mode: 0o755,
    });
    install();
    expect(dockerCalls().join()).not.toContain('registered');
    const done = install([], { FAKE_OPENCLAW: '1' });
    expect(dockerCalls()).toContain('registered openclaw-openclaw-gateway-1');
    expect(done).toMatchObject({ status: 0, stderr: expect.stringContaining('warning') });
    rmSync(log);
    install([], { FAKE_OPENCLAW: '1', OPENCLAW_QMD_ENABLED: 'false' });
    expect(dockerCalls().join()).not.toContain('registered');
  });
});

const problem =
  spawnSync('shellcheck', ['--version']).status === 0 ? undefined : installPackage('shellcheck');
if (problem !== undefined) console.warn(`Shell scripts are not checked by shellcheck: ${problem}`);

it.skipIf(problem !== undefined)('shellcheck finds no problem in the shell scripts', () => {
  const scripts = ['scripts/install.sh', 'deploy/docker/assemble.sh', 'test/deploy/fake-docker.sh'];
  const done = spawnSync('shellcheck', scripts, { cwd: ROOT, encoding: 'utf8' });
  expect(done.stdout).toBe('');
});
