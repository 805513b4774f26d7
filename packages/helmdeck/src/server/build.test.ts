import { expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { runPack } from '../testing/index.ts';
import { buildServer } from './build.ts';
import { loadConfig } from './config/config.ts';

it('a program embeds the server with a configuration alone, and adds layers that see and refuse runs', async () => {
  const env = { HELMDECK_DB: 'memory:', HELMDECK_LOG_LEVEL: 'silent' };
  const plain = await buildServer(loadConfig(env).config);
  expect((await plain.app.request('/healthz')).status).toBe(200);
  await plain.close();
  const seen: string[] = [];
  const server = await buildServer(loadConfig(env).config, {
    interceptors: [
      async (run, next) => {
        seen.push(run.pack.name);
        if (run.pack.name === 'artifact.put') throw new AppError('insufficient_scope', 'Not today.');
        return next(run);
      },
    ],
  });
  try {
    expect((await runPack(server, 'ada', 'artifact.list')).output).toMatchObject({ count: 0 });
    const refused = runPack(server, 'ada', 'artifact.put', { content: 'x' });
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_scope', message: 'Not today.' });
    expect(seen).toEqual(['artifact.list', 'artifact.put']);
  } finally {
    await server.close();
  }
});
