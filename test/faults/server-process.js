import { buildServer } from '../../packages/helmdeck/dist/server/build.js';
import { loadConfig } from '../../packages/helmdeck/dist/server/config/config.js';
import { listen } from '../../packages/helmdeck/dist/server/http/listen.js';
import { createLogger } from '../../packages/helmdeck/dist/server/process/logger.js';

// The built server in a child process that tests kill, starve of disk space and restart.
const { config } = loadConfig(process.env);
const server = await buildServer(config, {
  log: createLogger('silent'),
  // As `helmdeck serve` does; the responses under way are sent first.
  onStoreStopped: () => process.env.FAULT_TEST_STAY || setTimeout(() => process.exit(74), 50),
});
const { url, close } = await listen(server, config);
process.on('SIGTERM', () => close().then(() => process.exit(0)));
process.send({ url });
