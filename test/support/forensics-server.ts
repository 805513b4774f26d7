import { buildServer } from '../../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config/config.ts';
import { listen } from '../../packages/helmdeck/src/server/http/listen.ts';
import { createLogger } from '../../packages/helmdeck/src/server/process/logger.ts';

/** A real server with its real log. Its parent, forensics.test.ts, advances the clock and starts sweeps by messages. */
const { config } = loadConfig(process.env);
const log = createLogger(config.logLevel);
let laterMs = 0;
const server = await buildServer(config, { log, now: () => Date.now() + laterMs });
const listening = await listen(server, config);

process.on('message', async (order: { advanceMs?: number; sweep?: true; flush?: true; close?: true }) => {
  laterMs += order.advanceMs ?? 0;
  const swept = order.sweep ? await server.janitor!.sweep() : 0;
  if (order.close) await listening.close();
  await log.flush();
  process.send!({ swept });
  if (order.close) process.disconnect();
});
process.send!({ url: listening.url });
