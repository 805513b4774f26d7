import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../packages/helmdeck/src/server/config/variables.ts';

const PAGE = readFileSync(new URL('../../docs/reference/configuration.md', import.meta.url), 'utf8');

type Variable = { default?: string; secret?: boolean; file?: boolean; about: string };

function documented(page: string): Record<string, Variable> {
  const rows: Record<string, Variable> = {};
  for (const line of page.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    const name = /^`HELMDECK_([A-Z0-9_]+)`$/.exec(cells[1] ?? '')?.[1];
    if (!name) continue;
    rows[name] = {
      ...(cells[2] === '' ? {} : { default: cells[2]!.replaceAll('`', '') }),
      ...(cells[3] === 'yes' ? { secret: true } : {}),
      ...(cells[3] === 'file' ? { file: true } : {}),
      about: cells[4]!,
    };
  }
  return rows;
}

describe('docs/reference/configuration.md', () => {
  it('docs/reference/configuration.md lists every variable with default, secrecy and meaning, and no other', () => {
    expect(documented(PAGE)).toEqual(VARIABLES);
    expect(Object.keys(documented(PAGE))).toEqual(Object.keys(VARIABLES));
  });

  it('a changed default, a missing variable or an invented one makes the comparison fail', () => {
    const changed = PAGE.replace('`7776000`', '`1`').replace('`127.0.0.1:3000`', '`0.0.0.0:3000`');
    const missing = PAGE.replace(/^\| `HELMDECK_TOKEN`.*\n/m, '');
    const made = `${PAGE}\n| \`HELMDECK_TURBO\` | | | go faster |\n`;
    for (const page of [changed, missing, made]) expect(documented(page)).not.toEqual(VARIABLES);
  });

  it('docs/reference/configuration.md mentions no unknown variable in its prose', () => {
    const known = new Set(Object.keys(VARIABLES));
    const mentioned = [...PAGE.matchAll(/HELMDECK_([A-Z0-9_]+[A-Z0-9])\b(?!\*|_\*)/g)].map(
      ([, name]) => name!,
    );
    expect(mentioned.filter((name) => !known.has(name) && !['PORT', 'SERVICE'].includes(name))).toEqual([]);
  });
});
