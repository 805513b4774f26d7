import { buildServer } from '../../packages/helmdeck/src/server/build.ts';
import { loadConfig } from '../../packages/helmdeck/src/server/config.ts';
import { listen } from '../../packages/helmdeck/src/server/listen.ts';
import { createLogger } from '../../packages/helmdeck/src/server/logger.ts';

// A whole server in a process of its own, to be killed, starved and restarted.
const { config } = loadConfig(process.env);
const server = await buildServer(config, { log: createLogger('silent') });
const { url, close } = await listen(server, config);
process.on('SIGTERM', () => close().then(() => process.exit(0)));
process.send!({ url });
