import { expect, it } from 'vitest';
import { installHint } from './install-hint.ts';

it('the hint for a missing package names it to npx where Helmdeck was started by npx, and to npm elsewhere', () => {
  const npx = installHint('postgres', '/home/ada/.npm/_npx/0a1b2c/node_modules/helmdeck/dist/runtime');
  expect(npx).toContain('npx --package <helmdeck> --package postgres helmdeck');
  const npm = installHint('postgres', '/usr/lib/node_modules/helmdeck/dist/runtime');
  expect(npm).toContain('npm install postgres');
  expect(npm).not.toContain('npx');
});
