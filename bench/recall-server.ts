import { createMemory, type Memory } from '../packages/helmdeck/src/memory/memory.ts';
import { buildServer, type Server } from '../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../packages/helmdeck/src/server/config/config.ts';
import { makeQuestion } from './made-up-facts.ts';
import { unlimited } from './unlimited.ts';

export const caller = { subject: 'bench' };
const quiet = () => {};
const log = { isEnabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Starts a server on the facts in a folder; also returns the memory of its one caller. */
export async function startRecall(
  folder: string,
  now: () => number = Date.now,
): Promise<{ server: Server; memory: Memory; config: ReturnType<typeof loadConfig>['config'] }> {
  const { config } = loadConfig({ ...unlimited(folder), HELMDECK_RECALL_CACHE_BYTES: String(2 ** 33) });
  const server = await buildServer(config, { log, now });
  return { server, config, memory: createMemory(server.memory!.parts, caller) };
}

export const questionAt = (number: number, rows: number) => ({ text: makeQuestion(number, rows), limit: 20 });
