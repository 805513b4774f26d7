import { expect, it } from 'vitest';
import { selfCommand } from './self-command.ts';

it('programs are told to start the installed file, and that of the cache of npx is marked as temporary', () => {
  const installed = '/usr/lib/node_modules/helmdeck/bin/helmdeck.js';
  expect(selfCommand(installed)).toEqual({ command: process.execPath, args: [installed] });
  expect(selfCommand('/home/ada/.npm/_npx/0a1b/node_modules/helmdeck/bin/helmdeck.js').isTemporary).toBe(
    true,
  );
});
