import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './compose-files.ts';

// Without Docker: the commands of the Dockerfile run on folders that replace those of the image.
const DOCKERFILE = readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const instruction = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(DOCKERFILE)![1]!;
const USER_ID = Number(instruction('USER').split(':')[0]);
const isRoot = process.getuid?.() === 0;

let dir: string;
const inImage = (text: string) =>
  text.replaceAll('/app', join(dir, 'app')).replaceAll('/data', join(dir, 'data'));
const argv = (name: string) =>
  (JSON.parse(/\[.*\]/.exec(instruction(name))![0]) as string[]).map((part) =>
    part === 'node' ? nodeOfImage() : inImage(part),
  );
const nodeOfImage = () => join(dir, 'bin/node');
/** Runs a command as the user of the image, who owns only the data folder; `env`, because setpriv keeps root's capabilities. */
const asUser = (command: string[]) =>
  isRoot
    ? ['setpriv', `--reuid=${USER_ID}`, `--regid=${USER_ID}`, '--clear-groups', 'env', ...command]
    : command;

function environment(more: Record<string, string> = {}): Record<string, string> {
  const set = [...instruction('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name!,
    inImage(value!),
  ]);
  const path = `${join(dir, 'app/node_modules/.bin')}:${join(dir, 'bin')}:/usr/bin:/bin`;
  return { ...Object.fromEntries(set), PATH: path, ...more };
}

beforeAll(() => {
  // Not below a folder that only root may enter.
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-image-'));
  chmodSync(dir, 0o755);
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const assembled = spawnSync('sh', [join(ROOT, 'deploy/docker/assemble.sh'), join(dir, 'app')], {
    encoding: 'utf8',
    env,
  });
  expect(assembled.status, assembled.stderr).toBe(0);
  mkdirSync(join(dir, 'bin'));
  cpSync(process.execPath, nodeOfImage());
  chmodSync(nodeOfImage(), Number.parseInt(/--chmod=(\d+) \/usr\/local\/bin\/node/.exec(DOCKERFILE)![1]!, 8));
  mkdirSync(join(dir, 'data'), { mode: 0o700 });
  if (isRoot) spawnSync('chown', [`${USER_ID}:${USER_ID}`, join(dir, 'data')]);
  spawnSync('chmod', ['-R', 'a-w,a+rX', join(dir, 'app')]);
});
afterAll(() => {
  spawnSync('chmod', ['-R', 'u+w', join(dir, 'app')]);
  rmSync(dir, { recursive: true, force: true });
});

async function listeningUrl(child: ChildProcess): Promise<string> {
  let output = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk;
      const url = /listening on (http:\S+)/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}: ${output}`)));
  });
}

describe('the image', () => {
  it('the image contains the published package and the database clients, and no build tools', () => {
    const packages = readdirSync(join(dir, 'app/node_modules'));
    expect(packages).toEqual(expect.arrayContaining(['helmdeck', 'postgres', '@redis', 'aws4fetch']));
    for (const absent of ['typescript', 'vitest', 'vite', 'react']) expect(packages).not.toContain(absent);
    expect(existsSync(join(dir, 'app/node_modules/helmdeck/ui-dist/index.html'))).toBe(true);
    const natives = readdirSync(join(dir, 'app/node_modules'), { recursive: true, encoding: 'utf8' });
    expect(natives.filter((path) => path.endsWith('.node'))).toEqual([]);
  });

  it('every package of the image has the version and the hash of the repository lock file', () => {
    type Lock = { packages: Record<string, { version: string; integrity?: string; link?: boolean }> };
    const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Lock;
    const ours = read(join(ROOT, 'package-lock.json')).packages;
    const installed = Object.entries(read(join(dir, 'app/node_modules/.package-lock.json')).packages);
    const others = installed.filter(([path]) => path !== 'node_modules/helmdeck');
    expect(others.length).toBeGreaterThan(15);
    for (const [path, { version, integrity }] of others) {
      expect(integrity, path).toBeTruthy();
      const locked = ours[path.replace('node_modules/helmdeck/', 'packages/helmdeck/')];
      expect(locked, path).toMatchObject({ version, integrity });
    }
  });

  it('the image serves as its own user from a read-only code folder, is healthy, and keeps its data over a restart', async () => {
    const env = environment({
      HELMDECK_MEMORY_KEY: '7e'.repeat(32),
      HELMDECK_JWT_SECRET: 'a secret of this test that is long enough',
      HELMDECK_ADDR: '127.0.0.1:0',
    });
    const serve = () => {
      const [program, ...args] = asUser([...argv('ENTRYPOINT'), ...argv('CMD')]);
      return spawn(program!, args, { cwd: join(dir, 'data'), env, stdio: ['ignore', 'pipe', 'pipe'] });
    };
    const inside = (...args: string[]) => {
      const [program, ...rest] = asUser([join(dir, 'app/node_modules/.bin/helmdeck'), ...args]);
      return spawnSync(program!, rest, { cwd: join(dir, 'data'), env, encoding: 'utf8' });
    };
    const healthOf = (url: string) => {
      const [program, ...rest] = asUser(argv('HEALTHCHECK'));
      const address = `0.0.0.0:${new URL(url).port}`;
      return spawnSync(program!, rest, { env: { ...env, HELMDECK_ADDR: address } }).status;
    };

    let child = serve();
    let url = await listeningUrl(child);
    expect(healthOf(url)).toBe(0);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(inside('remember', 'where', 'in the image')).toMatchObject({ status: 0 });
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
    expect(healthOf(url)).toBe(1);

    child = serve();
    url = await listeningUrl(child);
    expect(inside('get', 'where').stdout).toBe('in the image\n');
    expect((await fetch(`${url}/`)).status).toBe(200);
    child.kill('SIGTERM');
    await once(child, 'exit');
    if (isRoot) expect(statSync(join(dir, 'data/helmdeck.db')).uid).toBe(USER_ID);
  });

  it.runIf(isRoot)(
    'the program of a pack cannot read the keys in the environment of the server',
    async () => {
      const packs = join(dir, 'packs');
      mkdirSync(packs);
      const program = `#!/bin/sh
if grep -qs HELMDECK_MEMORY_KEY /proc/[0-9]*/environ; then read=true; else read=false; fi
echo "{\\"read\\":$read}"
`;
      writeFileSync(join(packs, 'spy.sh'), program, { mode: 0o755 });
      const pack = { name: 'test.spy', description: 'Tries to read the keys.', command: ['./spy.sh'] };
      writeFileSync(join(packs, 'spy.pack.json'), JSON.stringify(pack));
      const env = environment({
        HELMDECK_MEMORY_KEY: '7e'.repeat(32),
        HELMDECK_JWT_SECRET: 'a secret of this test that is long enough',
        HELMDECK_ADDR: '127.0.0.1:0',
        HELMDECK_PACKS_DIR: packs,
      });
      const start = (...args: string[]) => {
        const [program, ...rest] = asUser([...argv('ENTRYPOINT'), ...args]);
        return { program: program!, rest, options: { cwd: join(dir, 'data'), env } };
      };
      const serving = start('serve');
      const child = spawn(serving.program, serving.rest, {
        ...serving.options,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      await listeningUrl(child);
      const running = start('pack', 'run', 'test.spy', '--json');
      const ran = spawnSync(running.program, running.rest, { ...running.options, encoding: 'utf8' });
      child.kill('SIGTERM');
      await once(child, 'exit');
      expect(ran.stderr).toBe('');
      expect(JSON.parse(ran.stdout)).toMatchObject({ output: { read: false } });
    },
  );

  it('the Dockerfile copies only existing files, and every workspace of the lock file', () => {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      workspaces: string[];
    };
    for (const workspace of workspaces)
      expect(DOCKERFILE).toContain(`COPY ${workspace}/package.json ${workspace}/`);
    for (const [, source] of DOCKERFILE.matchAll(/^COPY (?!--from)(\S+) /gm))
      expect(existsSync(join(ROOT, source!)), source).toBe(true);
    expect(USER_ID).toBeGreaterThan(0);
    expect(instruction('ENV')).toContain('HELMDECK_ADDR=0.0.0.0:3000');
  });
});
