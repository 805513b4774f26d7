import { expect } from 'vitest';
import type { Receipt } from '../../../packages/helmdeck/src/memory/erase/receipts.ts';
import { receiptProblem } from '../../../packages/helmdeck/src/memory/erase/receipts.ts';
import { type TestServer, testServer } from '../../../packages/helmdeck/src/testing/index.ts';

const KEYS = { HELMDECK_MEMORY_KEY: '3c'.repeat(32), HELMDECK_VAULT_KEY: '4d'.repeat(32) };

export const serverOn = (db: string, dataDir: string) =>
  testServer({
    env: { HELMDECK_DB: db, HELMDECK_DATA_DIR: dataDir, HELMDECK_RATE_LIMIT: 'off', ...KEYS },
  });

/** What must be the same before and after a migration. */
export interface FilledState {
  token: string;
  revoked: string;
  receipt: Receipt;
}

const json = async (answer: Response) => {
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as Record<string, unknown>;
};
const adminOf = async (server: TestServer) => ({
  authorization: `Bearer ${await server.token('root', { scopes: ['admin'] })}`,
});

/** Creates callers with facts, history, a secret, an artifact and tokens, and one that was erased. */
export async function fill(server: TestServer, callers = 3): Promise<FilledState> {
  const admin = await adminOf(server);
  for (let n = 0; n < callers; n++) {
    const facts = Array.from({ length: 450 }, (_, at) => ({
      key: `k/${at}`,
      value: `value ${at} of caller ${n}`,
    }));
    await json(await server.call(`caller${n}`, 'POST', '/api/v1/memory/store/batch', { facts }));
    await json(
      await server.call(`caller${n}`, 'POST', '/api/v1/memory/store', { key: 'k/1', value: 'a later value' }),
    );
  }
  await json(await server.call('caller0', 'DELETE', '/api/v1/memory/facts/k%2F2'));
  const run = (pack: string, input: unknown) =>
    server.call(undefined, 'POST', `/api/v1/packs/${pack}`, input, admin);
  await json(
    await run('vault.write', { name: 'api', value: 'a-secret-of-the-vault', hosts: ['example.com'] }),
  );
  await json(await run('artifact.put', { content: 'an artifact', filename: 'a.txt' }));
  const mint = async () =>
    (await json(
      await server.call(undefined, 'POST', '/api/v1/tokens', { subject: 'caller1', name: 'laptop' }, admin),
    )) as { token: string; jti: string };
  const [kept, revoked] = [await mint(), await mint()];
  await json(await server.call(undefined, 'DELETE', `/api/v1/tokens/${revoked.jti}`, undefined, admin));
  await server.call('gone', 'POST', '/api/v1/memory/store', { key: 'x', value: 'y' });
  const erased = await json(await server.call('gone', 'POST', '/api/v1/memory/forget', { scope: 'erase' }));
  return { token: kept.token, revoked: revoked.token, receipt: erased.receipt as Receipt };
}

/** Checks that everything `fill` created is there. */
export async function expectFilled(server: TestServer, before: FilledState, callers = 3): Promise<void> {
  const admin = await adminOf(server);
  for (let n = 0; n < callers; n++) {
    const history = await json(await server.call(`caller${n}`, 'GET', '/api/v1/memory/facts/k%2F1/history'));
    expect(history.versions).toMatchObject([{ value: 'a later value' }, { value: `value 1 of caller ${n}` }]);
    const found = await json(await server.call(`caller${n}`, 'GET', '/api/v1/memory/search?q=later'));
    expect(found.results).toMatchObject([{ key: 'k/1' }]);
  }
  expect((await server.call('caller0', 'GET', '/api/v1/memory/facts/k%2F2')).status).toBe(404);
  const withToken = (token: string) => ({ authorization: `Bearer ${token}` });
  const stats = '/api/v1/memory/stats';
  expect((await server.call(undefined, 'GET', stats, undefined, withToken(before.token))).status).toBe(200);
  expect((await server.call(undefined, 'GET', stats, undefined, withToken(before.revoked))).status).toBe(401);
  expect(
    await json(await server.call(undefined, 'GET', '/api/v1/audit/verify', undefined, admin)),
  ).toMatchObject({
    ok: true,
  });
  const { keys } = (await json(
    await server.call(undefined, 'GET', '/.well-known/helmdeck-receipts.json'),
  )) as {
    keys: { public_key: string }[];
  };
  expect(keys.map((key) => key.public_key)).toContain(before.receipt.public_key);
  expect(receiptProblem(before.receipt)).toBeUndefined();
  const run = async (pack: string, input: unknown) =>
    (await json(await server.call(undefined, 'POST', `/api/v1/packs/${pack}`, input, admin))).output;
  expect(await run('vault.list', {})).toMatchObject({ secrets: [{ name: 'api' }] });
  const { artifacts } = (await run('artifact.list', {})) as { artifacts: { artifact_key: string }[] };
  expect(await run('artifact.get', { artifact_key: artifacts[0]!.artifact_key })).toMatchObject({
    content: 'an artifact',
  });
}
