import fs, { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeSecrets } from './secrets-file.ts';

it.skipIf(process.platform !== 'linux')(
  'the file of secrets is synced before the rename that puts it in place, and its folder after that',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'helmdeck-secrets-'));
    const { fsyncSync, renameSync } = fs;
    onTestFinished(() => {
      Object.assign(fs, { fsyncSync, renameSync });
      syncBuiltinESMExports();
      rmSync(folder, { recursive: true });
    });
    const steps: string[] = [];
    fs.fsyncSync = (fd) => {
      steps.push(`sync ${readlinkSync(`/proc/self/fd/${fd}`).replace(/\.\d+\.new$/, '.new')}`);
      fsyncSync(fd);
    };
    fs.renameSync = (from, to) => {
      steps.push(`rename to ${to}`);
      renameSync(from, to);
    };
    syncBuiltinESMExports();
    writeSecrets(folder, { HELMDECK_TOKEN: 't' });
    const path = join(folder, 'secrets.env');
    expect(steps).toEqual([`sync ${path}.new`, `rename to ${path}`, `sync ${folder}`]);
  },
);
