import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The built UI. */
export const UI_DIST = resolve(import.meta.dirname, '../../packages/helmdeck/ui-dist');
const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g;
const read = (name: string) => readFileSync(resolve(UI_DIST, name), 'utf8');

/** The scripts that the page needs before it can show anything: those of index.html and what they import statically. */
export function firstScripts(): string[] {
  const [...found] = read('index.html').matchAll(/(?:src|href)="\/([^"]+\.js)"/g);
  const scripts = new Set(found.map(([, name]) => name!));
  for (const script of scripts)
    for (const [, name] of read(script).matchAll(STATIC_IMPORT)) scripts.add(`assets/${name}`);
  return [...scripts];
}
