import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { firstScripts, UI_DIST } from './first-scripts.ts';

const MAX_FIRST_LOAD_BYTES = 110_000;
const MAX_STYLE_BYTES = 16_000;
const read = (name: string) => readFileSync(resolve(UI_DIST, name));
const gzipped = (name: string) => gzipSync(read(name), { level: 9 }).length;

describe('the weight of the UI', () => {
  it('the scripts of the first load stay within their limit, gzipped', () => {
    const sizes = Object.fromEntries(firstScripts().map((name) => [name, gzipped(name)]));
    expect(Object.keys(sizes).length).toBeGreaterThan(1);
    const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
    expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(MAX_FIRST_LOAD_BYTES);
  });

  it('the style sheet of the first load stays within its limit, gzipped', () => {
    const [sheet] = readdirSync(resolve(UI_DIST, 'assets')).filter((name) => /^index-.*\.css$/.test(name));
    expect(gzipped(`assets/${sheet}`)).toBeLessThanOrEqual(MAX_STYLE_BYTES);
  });

  it('every compressed file of the build is its original, and smaller', () => {
    const names = readdirSync(UI_DIST, { recursive: true, encoding: 'utf8' });
    const compressed = names.filter((name) => name.endsWith('.br'));
    expect(compressed).toEqual(expect.arrayContaining(['index.html.br']));
    for (const name of compressed) {
      const original = read(name.slice(0, -'.br'.length));
      expect(brotliDecompressSync(read(name)).equals(original), name).toBe(true);
      expect(read(name).length).toBeLessThan(original.length);
    }
  });
});
