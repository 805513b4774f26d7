import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServeUi, type ServeUi } from './serve-ui.ts';
import { readUiFiles } from './ui-files.ts';

const HTML = { accept: 'text/html,application/xhtml+xml' };
const PAGE = '<!doctype html><title>Helmdeck</title>';
const SCRIPT = 'export const a = 1;\n'.repeat(100);
let folder: string;
let serve: ServeUi;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helmdeck-ui-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'assets/app-abc.js'), SCRIPT);
  writeFileSync(join(folder, 'notes.txt'), 'not a page');
  serve = createServeUi(readUiFiles(folder)!);
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (path: string, init: RequestInit = {}) =>
  serve(new Request(`http://127.0.0.1:3000${path}`, init));

describe('serving the UI', () => {
  it('is absent where nothing was built', () => {
    expect(readUiFiles(join(folder, 'assets'))).toBeUndefined();
  });

  it('gives the page at / to anyone, with a policy that allows nothing from elsewhere', async () => {
    const response = ask('/')!;
    expect(await response.text()).toBe(PAGE);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http|data:/);
  });

  it('gives the page at its own addresses to browsers only', () => {
    expect(ask('/health', { headers: HTML })!.headers.get('content-type')).toContain('text/html');
    expect(ask('/health')).toBeUndefined();
    expect(ask('/health', { method: 'POST', headers: HTML })).toBeUndefined();
  });

  it.each(['/api/v1/nothing', '/api', '/docs/x', '/.well-known/x', '/assets/gone.js', '/favicon.ico'])(
    'leaves %s to others',
    (path) => expect(ask(path, { headers: HTML })).toBeUndefined(),
  );

  it('lets files with a hash in their name be kept, and sends them compressed to whoever can read that', async () => {
    const plain = ask('/assets/app-abc.js')!;
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await plain.text()).toBe(SCRIPT);
    const small = ask('/assets/app-abc.js', { headers: { 'accept-encoding': 'gzip, br' } })!;
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await small.bytes()).toString()).toBe(SCRIPT);
    expect(await ask('/assets/app-abc.js', { method: 'HEAD' })!.text()).toBe('');
  });

  it('has only what was there at the start, and only kinds of files it knows', () => {
    expect(ask('/notes.txt')).toBeUndefined();
    expect(ask('/assets/../../etc/passwd')).toBeUndefined();
    expect(ask('/assets/%2e%2e/%2e%2e/etc/passwd')).toBeUndefined();
  });
});
