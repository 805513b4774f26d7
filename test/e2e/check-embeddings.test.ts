import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBuiltinEmbedder } from '../../packages/helmdeck/src/recall/vectors/builtin-model/builtin-embedder.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { checkEmbeddings } from '../../packages/helmdeck/src/server/doctor/check-embeddings.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from '../support/embeddings-server.ts';

const model = createBuiltinEmbedder();
let server: EmbeddingsServer;
beforeAll(async () => {
  server = await startEmbeddingsServer(0, model);
  // On a busy machine loading the model takes longer than a request to an endpoint may.
  await model.embed(['warm up'], 'document');
});
beforeEach(() => {
  server.failureMode = 'none';
});
afterAll(async () => {
  await server.close();
  await model.close();
});

/** Uses a clock that advances by `stepMs` with each reading, so that results do not depend on the speed of the machine. */
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

describe('checkEmbeddings', () => {
  it('without embeddings, the doctor reports ok', async () => {
    expect(await check({})).toEqual([
      { name: 'Embeddings', status: 'ok', message: 'None: search goes by words alone.' },
    ]);
  });

  it('for a working endpoint, the doctor reports model, dimensions and latency', async () => {
    expect(await check(endpoint(server.url))).toEqual([
      {
        name: 'Embeddings',
        status: 'ok',
        message: 'openai:nomic-embed-text answers with 384 dimensions in 10 ms.',
      },
    ]);
  });

  it('an endpoint slower than the time limit of a search is a warning', async () => {
    expect(await check(endpoint(server.url), 400)).toMatchObject([{ status: 'warn' }]);
  });

  it.each([
    ['down', 'HELMDECK_EMBEDDINGS_URL'],
    ['refusing', 'HELMDECK_EMBEDDINGS_API_KEY'],
    ['rubbish', 'HELMDECK_EMBEDDINGS_URL'],
    ['broken', 'log of the endpoint'],
  ] as const)(
    'an endpoint that is %s fails the check, with a fix and without the API key',
    async (failureMode, fix) => {
      server.failureMode = failureMode;
      const checks = await check(endpoint(server.url));
      expect(checks).toMatchObject([{ status: 'fail', fix: expect.stringContaining(fix) }]);
      expect(JSON.stringify(checks)).not.toContain('sk-secret');
    },
  );

  it('an endpoint on another machine without TLS is a warning', async () => {
    const toHere: typeof globalThis.fetch = (url, init) =>
      fetch(String(url).replace('http://elsewhere.example', new URL(server.url).origin), init);
    const checks = await check(endpoint('http://elsewhere.example/v1'), 10, toHere);
    expect(checks.map(({ status }) => status)).toEqual(['warn', 'ok']);
  });
});
