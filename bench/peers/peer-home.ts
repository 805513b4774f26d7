import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox, type Running } from '../../test/e2e/helmdeck-process.ts';
import type { Installed } from './install-peer.ts';
import type { PeerPlace } from './peer.ts';
import type { Peer } from './roster.ts';

/** A program that uses the peer, in a process of its own. */
export interface PeerProgram {
  call<T>(method: string, argument?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** The folder of a peer, with the server of Helmdeck on it. */
export interface PeerHome {
  program(): PeerProgram;
  /** Ends every program, and the server. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Paths of the files that contain a text, relative to the folder. */
  filesWith(text: string): string[];
  /** Waits until Helmdeck has embedded everything, if it embeds. */
  settled(): Promise<void>;
  remove(): Promise<void>;
}

export async function openHome(
  peer: Peer,
  installed: Installed,
  embeddingsUrl: string,
  env: Record<string, string> = {},
): Promise<PeerHome> {
  const sandbox = createSandbox();
  const folder = join(sandbox.dir, 'data');
  mkdirSync(folder);
  const unlimited = { HELMDECK_RATE_LIMIT: 'off', HELMDECK_QUOTA_FACTS: 'off', HELMDECK_QUOTA_BYTES: 'off' };
  Object.assign(sandbox.env, unlimited, env);
  let server: Running | undefined;
  let place: PeerPlace = { folder, embeddingsUrl };
  const programs = new Set<PeerProgram>();
  const home: PeerHome = {
    program() {
      const program = startProgram(peer, installed, place, sandbox.dir);
      programs.add(program);
      return program;
    },
    async stop() {
      for (const program of programs) await program.stop();
      programs.clear();
      await server?.stop();
    },
    async start() {
      if (peer.name !== 'helmdeck') return;
      server = await sandbox.serve('--init');
      const secrets = readFileSync(join(folder, 'secrets.env'), 'utf8');
      const token = /^HELMDECK_TOKEN=(\S+)$/m.exec(secrets)![1]!;
      place = { folder, embeddingsUrl, url: server.url, token };
    },
    filesWith: (text) =>
      globSync('**/*', { cwd: folder }).filter((path) => {
        const full = join(folder, path);
        return statSync(full).isFile() && readFileSync(full).includes(text);
      }),
    async settled() {
      if (!env.HELMDECK_EMBEDDINGS_URL) return;
      const headers = { authorization: `Bearer ${place.token}` };
      for (;;) {
        const response = await fetch(`${place.url}/api/v1/memory/stats`, { headers });
        const stats = (await response.json()) as { embeddings?: { waiting: number } };
        if (stats.embeddings?.waiting === 0) return;
        await delay(200);
      }
    },
    async remove() {
      await home.stop();
      await sandbox.remove();
    },
  };
  await home.start();
  return home;
}

function startProgram(peer: Peer, installed: Installed, place: PeerPlace, home: string): PeerProgram {
  const child = fork(
    new URL('./peer-process.ts', import.meta.url),
    [peer.name, installed.folder, JSON.stringify(place)],
    { cwd: home, env: { ...process.env, HOME: home }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  return {
    async call<T>(method: string, argument?: unknown): Promise<T> {
      const answered = new AbortController();
      const { signal } = answered;
      const answer = Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }).then(([code]) => [{ error: `the process ended with ${code}` }]),
      ]);
      child.send([method, argument]);
      const [{ result, error }] = (await answer) as [{ result: T; error?: string }];
      answered.abort();
      if (error !== undefined) throw new Error(error);
      return result;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
