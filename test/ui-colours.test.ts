import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../ui/src');
const TOKENS = join('styles', 'tokens.css');
const RAW_COLOUR = /#(?:[0-9a-f]{3,4}){1,2}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(|light-dark\(/i;
const COMMENT = /\/\*[\s\S]*?\*\//g;
const linesOf = (name: string) =>
  readFileSync(join(SRC, name), 'utf8')
    .replace(COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .map((line, index) => ({ place: `${name}:${index + 1}`, line: line.trim() }));

describe('the colours of the UI', () => {
  it('only the tokens have raw colours, style sheets refer to them, and components have none', () => {
    const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
    expect(names).toContain(TOKENS);
    const checked = names.filter((name) => /\.(css|tsx?)$/.test(name) && !/\.test\.ts$/.test(name));
    const raw = checked
      .filter((name) => name !== TOKENS)
      .flatMap((name) => linesOf(name).filter(({ line }) => RAW_COLOUR.test(line)))
      // `#main`, `#root`: a reference to an element, not a colour.
      .filter(({ line }) => !/(?:href|querySelector\()=?["'(]?["']#/.test(line));
    expect(raw.map(({ place, line }) => `${place} ${line}`)).toEqual([]);
  });
});
