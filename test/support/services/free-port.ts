import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that a system gives to whoever asks for any, so that nobody is given one while its server restarts;
 * ten thousand higher, where Redis puts the bus of a cluster, is below them too.
 */
const LOWEST = 10_240;
const HIGHEST = 22_240;

/** A port of loopback that nobody had a moment ago; whoever uses it tries another one when somebody was faster. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
