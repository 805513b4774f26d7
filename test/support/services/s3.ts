import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real S3 server in a child process. Access key and secret of its only account are `S3RVER`. */
export interface S3Process {
  endpoint: string;
  /** Its data folder. */
  folder: string;
  stop(): Promise<void>;
}

const STARTED = /listening on 127\.0\.0\.1:(\d+)/;

export async function startS3(buckets: readonly string[]): Promise<S3Process> {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-s3-'));
  const program = join(dirname(createRequire(import.meta.url).resolve('s3rver')), '../bin/s3rver.js');
  const options = ['--directory', folder, '--address', '127.0.0.1', '--port', '0', '--no-vhost-buckets'];
  const bucketOptions = buckets.flatMap((bucket) => ['--configure-bucket', bucket]);
  // It encrypts the cursors of long lists with DES, which is in the legacy provider of OpenSSL 3.
  const child = spawn(
    process.execPath,
    ['--openssl-legacy-provider', program, ...options, ...bucketOptions],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const port = await portOf(child);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    folder,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const listen = (chunk: Buffer) => {
      output += chunk;
      const port = STARTED.exec(output)?.[1];
      if (port) resolve(Number(port));
    };
    child.stdout!.on('data', listen);
    child.stderr!.on('data', listen);
    child.once('exit', () => reject(new Error(`the S3 server exited: ${output}`)));
  });
}
