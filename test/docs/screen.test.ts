import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SCREEN_RULES } from '../../packages/helmdeck/src/memory/gate/screen/screen-rules.ts';

it('SECURITY.md lists every rule of the screen with its reason, in the order of the rules', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../SECURITY.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, name, reason]) => ({
    name,
    reason,
  }));
  expect(rows).toEqual(SCREEN_RULES.map(({ name, reason }) => ({ name, reason })));
});
