import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testServer } from '../../packages/helmdeck/src/testing/index.ts';

it('docs/howto/operate.md names every metric of the server, and no other', async () => {
  const page = readFileSync(new URL('../../docs/howto/operate.md', import.meta.url), 'utf8');
  const named = new Set([...page.matchAll(/`(helmdeck_[a-z_]+)`/g)].map(([, name]) => name!));
  const server = await testServer();
  const text = await (await server.call(undefined, 'GET', '/metrics')).text();
  await server.close();
  const exported = [...text.matchAll(/^# TYPE (helmdeck_\S+) /gm)].map(([, name]) => name!);
  expect([...named].sort()).toEqual(exported.sort());
});
