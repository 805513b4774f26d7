import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/engine/pack/pack.ts';
import { createLogger } from '../../packages/helmdeck/src/server/process/logger.ts';
import { handleUnhandledErrors } from '../../packages/helmdeck/src/server/process/unhandled-errors.ts';
import { runPack, testServer } from '../../packages/helmdeck/src/testing/index.ts';

// A server with a pack that leaves unhandled errors behind; with the argument `own` the server itself causes one.
handleUnhandledErrors(createLogger('info'));
const leaky = definePack({
  name: 'test.leaky',
  version: 'v1',
  description: 'Leaves unhandled errors behind.',
  input: z.object({}),
  output: z.object({ fine: z.boolean() }),
  async handler() {
    void Promise.reject(new Error('hunter2'));
    void sleep(5).then(() => {
      throw new Error('hunter2');
    });
    setTimeout(() => {
      throw new Error('hunter2');
    }, 10);
    return { fine: true };
  },
});
// The pack folder has a file whose rejection comes after it was loaded.
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-unhandled-errors-'));
writeFileSync(
  join(folder, 'careless.mjs'),
  "void Promise.reject(new Error('hunter2'));\nexport const nothing = 1;\n",
);
const server = await testServer({ packs: [leaky], env: { HELMDECK_PACKS_DIR: folder } });
rmSync(folder, { recursive: true });
console.log(JSON.stringify((await runPack(server, 'ada', 'test.leaky')).output));
await sleep(50);
console.log(JSON.stringify((await runPack(server, 'ada', 'test.leaky')).output));
await sleep(50);
if (process.argv[2] === 'own') {
  setTimeout(() => void Promise.reject(new Error('ours')), 1);
  await sleep(100);
}
const answer = await server.call('ada', 'GET', '/api/v1/memory/defaults');
console.log(((await answer.json()) as { recent: unknown[] }).recent.length);
await server.close();
process.exit(0);
