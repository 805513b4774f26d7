import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way from a node to its database that can be cut. */
export interface CutProxy {
  port: number;
  /** Nothing passes any more, in either direction, and nobody is told: as when a cable is pulled. */
  cut(): void;
  /** What was under way when the cable was pulled is lost; what comes from now on passes. */
  heal(): void;
  close(): Promise<void>;
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  let isCut = false;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => void (isCut || to.write(chunk)));
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(pair);
        if (!isCut) to.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true;
    },
    heal() {
      drop();
      isCut = false;
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
