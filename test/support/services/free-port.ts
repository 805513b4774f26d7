import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral port range, so that the system does not assign the port to a client while its server restarts. So
 * are the ports 10,000 higher, where Redis opens its cluster bus.
 */
const MIN_PORT = 10_240;
const MAX_PORT = 22_240;

/** A free port on loopback. It may be taken before it is used, so callers must retry with another one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
