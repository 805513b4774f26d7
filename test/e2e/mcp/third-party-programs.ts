import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const MANIFESTS = resolve(import.meta.dirname, 'programs');
const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/helmdeck-programs');
/** Puts the Node of these tests first for programs that are started by name. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

/** Installs the programs that a folder locks once, outside the workspace, and returns their bin folder. */
export async function installPrograms(manifests = MANIFESTS): Promise<string> {
  const lock = readFileSync(join(manifests, 'package-lock.json'));
  const folder = join(CACHE, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    for (const file of readdirSync(manifests)) copyFileSync(join(manifests, file), join(folder, file));
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', options, { cwd: folder });
    writeFileSync(done, '');
  }
  return join(folder, 'node_modules', '.bin');
}

export interface ProgramResult {
  code: number | null;
  out: string;
  err: string;
}

/** Runs one of them with its own home folder. */
export async function runProgram(program: string, args: string[], home: string): Promise<ProgramResult> {
  const env = { PATH, HOME: home, NO_COLOR: '1' };
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  return { code, out: texts.stdout, err: texts.stderr };
}

/** A proxy that adds the token to every request, for programs that cannot send one. */
export async function tokenProxy(target: string, token: string): Promise<{ url: string; close(): void }> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const upstream = request(target + incoming.url, { method: incoming.method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
