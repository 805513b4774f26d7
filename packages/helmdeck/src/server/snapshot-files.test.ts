import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotStore } from '../recall/image/snapshot.ts';
import { openSnapshotFiles } from './snapshot-files.ts';

const NS = Buffer.from('0123456789abcdef');
const OTHER = Buffer.from('another id here.');
const DAY_SECONDS = 86_400;
let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'helmdeck-snapshots-'));
  folder = join(root, 'data', 'snapshots');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half of it');
  throw new Error('no more');
}
async function textOf(snapshots: Pick<SnapshotStore, 'read'>, ns: Uint8Array): Promise<string> {
  let text = '';
  for await (const piece of snapshots.read(ns)) text += Buffer.from(piece).toString();
  return text;
}
const files = () => readdirSync(folder).sort();
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('snapshots as files', () => {
  it('a snapshot file is read as it was written, separately for each memory', async () => {
    const snapshots = openSnapshotFiles(folder);
    expect(await textOf(snapshots, NS), 'before there is even a folder').toBe('');
    await snapshots.write(NS, chunks('first ', 'part'));
    await snapshots.write(OTHER, chunks());
    expect(await textOf(snapshots, NS)).toBe('first part');
    expect(await textOf(snapshots, OTHER)).toBe('');
    await snapshots.write(NS, chunks('second'));
    expect(await textOf(snapshots, NS)).toBe('second');
    expect(files()).toEqual([NS, OTHER].map((ns) => `${ns.toString('hex')}.snapshot`).sort());
  });

  it('snapshot files can be read by their owner only', async () => {
    const before = process.umask(0);
    try {
      await openSnapshotFiles(folder).write(NS, chunks('x'));
    } finally {
      process.umask(before);
    }
    expect(modeOf(folder)).toBe('700');
    for (const name of files()) expect(modeOf(join(folder, name))).toBe('600');
  });

  it('a snapshot file is replaced as a whole or not at all, and no partial file is left behind', async () => {
    const snapshots = openSnapshotFiles(folder);
    await snapshots.write(NS, chunks('whole'));
    await expect(snapshots.write(NS, broken())).rejects.toThrow('no more');
    expect(await textOf(snapshots, NS)).toBe('whole');
    expect(files()).toHaveLength(1);
    await expect(snapshots.write(OTHER, broken())).rejects.toThrow();
    expect(await textOf(snapshots, OTHER)).toBe('');
    expect(files()).toHaveLength(1);
  });

  it('removing a snapshot also removes partial files of a crash, and succeeds twice', async () => {
    const snapshots = openSnapshotFiles(folder);
    await snapshots.remove(NS);
    await snapshots.write(NS, chunks('x'));
    await snapshots.write(OTHER, chunks('y'));
    writeFileSync(join(folder, `${NS.toString('hex')}.snapshot.part`), 'half');
    await snapshots.remove(NS);
    await snapshots.remove(NS);
    expect(files()).toEqual([`${OTHER.toString('hex')}.snapshot`]);
  });

  it('snapshot files older than a day are pruned, partial or not; younger ones stay', async () => {
    const snapshots = openSnapshotFiles(folder);
    await snapshots.prune();
    await snapshots.write(NS, chunks('old'));
    await snapshots.write(OTHER, chunks('young'));
    const part = join(folder, `${OTHER.toString('hex')}.snapshot.part`);
    writeFileSync(part, 'half');
    const nowSeconds = Date.now() / 1000;
    const age = (path: string, seconds: number) =>
      utimesSync(path, nowSeconds - seconds, nowSeconds - seconds);
    age(join(folder, `${NS.toString('hex')}.snapshot`), DAY_SECONDS + 60);
    age(join(folder, `${OTHER.toString('hex')}.snapshot`), DAY_SECONDS - 60);
    age(part, DAY_SECONDS + 60);
    await snapshots.prune();
    expect(files()).toEqual([`${OTHER.toString('hex')}.snapshot`]);
  });

  it('a snapshot file that exists but cannot be read throws', async () => {
    mkdirSync(join(folder, `${NS.toString('hex')}.snapshot`), { recursive: true });
    await expect(textOf(openSnapshotFiles(folder), NS)).rejects.toThrow('EISDIR');
  });
});
