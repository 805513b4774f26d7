import { createServer } from 'node:net';

/** A port of loopback that nobody had a moment ago; whoever uses it tries another one when somebody was faster. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
