import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * How a way fails. `silence`: nothing passes any more, in either direction, and nobody is told, as when a cable is
 * pulled. `hang up` and `reset`: whoever is connected or connects is sent away, politely or not.
 */
export type Cut = 'silence' | 'hang up' | 'reset';

/** A way from a node to its database that can be cut. */
export interface CutProxy {
  port: number;
  cut(how?: Cut): void;
  /** What was under way when it was cut is lost; what comes from now on passes. */
  heal(): void;
  close(): Promise<void>;
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  let isCut: Cut | undefined;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    if (isCut === 'hang up' || isCut === 'reset') return sendAway(near, isCut);
    const far = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => void (isCut || to.write(chunk)));
      from.on('error', () => {});
      from.on('close', () => {
        if (isCut === 'silence') return;
        pairs.delete(pair);
        to.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = (how: Cut) => {
    for (const [near, far] of pairs) {
      sendAway(near, how);
      far.destroy();
    }
    pairs.clear();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut(how = 'silence') {
      isCut = how;
      if (how !== 'silence') drop(how);
    },
    heal() {
      drop('hang up');
      isCut = undefined;
    },
    async close() {
      drop('hang up');
      server.close();
      await once(server, 'close');
    },
  };
}

function sendAway(socket: Socket, how: Cut): void {
  socket.on('error', () => {});
  if (how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
