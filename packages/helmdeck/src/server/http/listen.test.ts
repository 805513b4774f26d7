import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testServer } from '../../testing/test-server.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'helmdeck-listen-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = () => join(dir, 'server.json');
const fileUrl = () => (JSON.parse(readFileSync(file(), 'utf8')) as { url: string }).url;
const start = (db: string) =>
  testServer({
    socket: true,
    env: { HELMDECK_DB: db, HELMDECK_DATA_DIR: dir, HELMDECK_MEMORY_KEY: 'ab'.repeat(32) },
  });

describe('server.json', () => {
  it('a server writes its address to server.json when it listens, and removes it when it closes', async () => {
    const server = await start(join(dir, 'a.db'));
    expect(fileUrl()).toBe(server.url);
    await server.close();
    expect(existsSync(file())).toBe(false);
  });

  it('a server in memory neither writes nor removes the server.json of another', async () => {
    const server = await start(join(dir, 'a.db'));
    const other = await start('memory:');
    expect(fileUrl()).toBe(server.url);
    await other.close();
    expect(fileUrl()).toBe(server.url);
    await server.close();
  });

  it('a server that closes keeps the server.json that another has written since', async () => {
    const earlier = await start(join(dir, 'a.db'));
    const later = await start(join(dir, 'b.db'));
    await earlier.close();
    expect(fileUrl()).toBe(later.url);
    await later.close();
    expect(existsSync(file())).toBe(false);
  });
});
