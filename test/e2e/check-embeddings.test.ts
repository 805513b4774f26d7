import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-embedder.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { checkEmbeddings } from '../../packages/helmdeck/src/server/doctor/check-embeddings.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../support/embeddings-server.ts';

const model = createBuiltinEmbedder();
let server: EmbeddingsServer;
beforeAll(async () => {
  server = await startEmbeddingsServer(0, model);
});
beforeEach(() => {
  server.mood = 'well';
});
afterAll(async () => {
  await server.close();
  await model.close();
});

/** A clock that moves by so much with each look, so that nothing depends on how fast this machine is. */
const check = (variables: Record<string, string>, stepMs = 10, fetch = globalThis.fetch) => {
  let ms = 0;
  const { config } = loadConfig({ HELMDECK_DATA_DIR: '/nowhere', ...variables });
  return checkEmbeddings(config, { fetch, now: () => (ms += stepMs) });
};
const endpoint = (url: string) => ({
  HELMDECK_EMBEDDINGS_URL: url,
  HELMDECK_EMBEDDINGS_MODEL: 'nomic-embed-text',
  HELMDECK_EMBEDDINGS_API_KEY: 'sk-secret',
});

describe('what the doctor says about embeddings', () => {
  it('none is fine', async () => {
    expect(await check({})).toEqual([
      { name: 'Embeddings', status: 'ok', message: 'None: search goes by words alone.' },
    ]);
  });

  it('an endpoint that answers: what, how much, how fast', async () => {
    expect(await check(endpoint(server.url))).toEqual([
      {
        name: 'Embeddings',
        status: 'ok',
        message: 'openai:nomic-embed-text answers with 384 dimensions in 10 ms.',
      },
    ]);
  });

  it('one that is slower than a search waits is a warning', async () => {
    expect(await check(endpoint(server.url), 400)).toMatchObject([{ status: 'warn' }]);
  });

  it.each([
    ['down', 'HELMDECK_EMBEDDINGS_URL'],
    ['refusing', 'HELMDECK_EMBEDDINGS_API_KEY'],
    ['rubbish', 'HELMDECK_EMBEDDINGS_URL'],
    ['broken', 'log of the endpoint'],
  ] as const)('one that is %s fails, with what to do and without the key', async (mood, fix) => {
    server.mood = mood;
    const checks = await check(endpoint(server.url));
    expect(checks).toMatchObject([{ status: 'fail', fix: expect.stringContaining(fix) }]);
    expect(JSON.stringify(checks)).not.toContain('sk-secret');
  });

  it('one on another machine without encryption is a warning as well', async () => {
    const toHere: typeof globalThis.fetch = (url, init) =>
      fetch(String(url).replace('http://elsewhere.example', new URL(server.url).origin), init);
    const checks = await check(endpoint('http://elsewhere.example/v1'), 10, toHere);
    expect(checks.map(({ status }) => status)).toEqual(['warn', 'ok']);
  });
});
