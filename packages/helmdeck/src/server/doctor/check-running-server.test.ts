import { expect, it } from 'vitest';
import { checkRunningServer } from './check-running-server.ts';

const STATS = {
  scope: 'caller=ada',
  counts: {},
  unreadable_rows: 0,
  embeddings: null,
  key_id: 'k',
  key_ephemeral: false,
  rotation: { total: 0, done: 0, unreadable: 0, finished: true },
};

async function vectorsChecked(embeddings: object | null) {
  const answers: Record<string, object> = {
    '/readyz': { memory: { state: 'on' } },
    '/api/v1/memory/stats': { ...STATS, embeddings },
  };
  const fetch = async (path: string) => Response.json(answers[path] ?? {});
  const connection = { fetch, close: async () => {} } as unknown as Parameters<typeof checkRunningServer>[0];
  const checks = await checkRunningServer(connection, 'http://127.0.0.1:3000');
  return checks.filter(({ name }) => name === 'Vectors');
}

it('doctor says how many facts still wait for their vector, and why if that does not go on', async () => {
  const [working] = await vectorsChecked({ indexed: 7, waiting: 3 });
  expect(working).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('7 of 10 facts have a vector'),
  });
  const [stuck] = await vectorsChecked({ indexed: 7, waiting: 3, problem: 'The endpoint is down.' });
  expect(stuck).toMatchObject({ status: 'warn', message: expect.stringContaining('The endpoint is down.') });
  expect(await vectorsChecked({ indexed: 10, waiting: 0 })).toEqual([]);
  expect(await vectorsChecked(null)).toEqual([]);
});
