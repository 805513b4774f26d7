import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
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
  writeFileSync(join(folder, 'assets/app-abc.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'notes.txt'), 'not a page');
  serve = createServeUi(readUiFiles(folder)!);
});
afterAll(() => rmSync(folder, { recursive: true }));

const get = (path: string, init: RequestInit = {}) =>
  serve(new Request(`http://127.0.0.1:3000${path}`, init));

describe('serving the UI', () => {
  it('the UI is not served if nothing was built', () => {
    expect(readUiFiles(join(folder, 'assets'))).toBeUndefined();
  });

  it('/ serves the page to any client, with a content policy that allows no other origin', async () => {
    const response = get('/')!;
    expect(await response.text()).toBe(PAGE);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http|data:/);
  });

  it('a route of the UI serves the page to browsers only', () => {
    expect(get('/health', { headers: HTML })!.headers.get('content-type')).toContain('text/html');
    expect(get('/health')).toBeUndefined();
    expect(get('/health', { method: 'POST', headers: HTML })).toBeUndefined();
  });

  it.each(['/api/v1/nothing', '/api', '/docs/x', '/.well-known/x', '/assets/gone.js', '/favicon.ico'])(
    '%s is not handled by the UI',
    (path) => expect(get(path, { headers: HTML })).toBeUndefined(),
  );

  it('files with a hash in their name are immutable, and gzipped for clients that accept it', async () => {
    const plain = get('/assets/app-abc.js')!;
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await plain.text()).toBe(SCRIPT);
    const small = get('/assets/app-abc.js', { headers: { 'accept-encoding': 'gzip, br;q=0' } })!;
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(await small.bytes()).toString()).toBe(SCRIPT);
    expect(await get('/assets/app-abc.js', { method: 'HEAD' })!.text()).toBe('');
  });

  it('a client that accepts brotli gets what the build compressed, and caches keep the encodings apart', async () => {
    const accepting = (encodings: string) =>
      get('/assets/app-abc.js', { headers: { 'accept-encoding': encodings } })!;
    const smallest = accepting('gzip, deflate, br, zstd');
    expect(smallest.headers.get('content-encoding')).toBe('br');
    const bytes = await smallest.bytes();
    expect(brotliDecompressSync(bytes).toString()).toBe(SCRIPT);
    expect(smallest.headers.get('content-length')).toBe(String(bytes.length));
    expect(smallest.headers.get('vary')).toBe('accept-encoding');
    const etags = ['br', 'gzip', 'identity'].map((encoding) => accepting(encoding).headers.get('etag'));
    expect(new Set(etags).size).toBe(3);
    expect(get('/assets/app-abc.js.br')).toBeUndefined();
  });

  it('a page that did not change is not sent again', async () => {
    const headers = { 'accept-encoding': 'br' };
    const etag = get('/', { headers })!.headers.get('etag')!;
    const again = get('/', { headers: { ...headers, 'if-none-match': `"other", W/${etag}` } })!;
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(etag);
    expect(await again.text()).toBe('');
    expect(get('/', { headers: { ...headers, 'if-none-match': '"other"' } })!.status).toBe(200);
  });

  it('only files that existed at the start and have a known type are served', () => {
    expect(get('/notes.txt')).toBeUndefined();
    expect(get('/assets/../../etc/passwd')).toBeUndefined();
    expect(get('/assets/%2e%2e/%2e%2e/etc/passwd')).toBeUndefined();
  });
});
