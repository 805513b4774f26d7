import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * How a connection fails. `silence`: packets are dropped in both directions without an error, as when a cable is
 * pulled. `hang up` and `reset`: existing and new connections are closed with FIN or with RST.
 */
export type Cut = 'silence' | 'hang up' | 'reset';

/** A TCP proxy between a node and its database that can cut the connection. */
export interface CutProxy {
  port: number;
  cut(how?: Cut): void;
  /** Forwards new connections again. Data in flight during the cut is lost. */
  heal(): void;
  close(): Promise<void>;
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  let currentCut: Cut | undefined;
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    if (currentCut === 'hang up' || currentCut === 'reset') return closeSocket(client, currentCut);
    const upstream = connect(targetPort, '127.0.0.1');
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    const forward = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => void (currentCut || to.write(chunk)));
      from.on('error', () => {});
      from.on('close', () => {
        if (currentCut === 'silence') return;
        pairs.delete(pair);
        to.destroy();
      });
    };
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = (how: Cut) => {
    for (const [client, upstream] of pairs) {
      closeSocket(client, how);
      upstream.destroy();
    }
    pairs.clear();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut(how = 'silence') {
      currentCut = how;
      if (how !== 'silence') closeAll(how);
    },
    heal() {
      closeAll('hang up');
      currentCut = undefined;
    },
    async close() {
      closeAll('hang up');
      server.close();
      await once(server, 'close');
    },
  };
}

function closeSocket(socket: Socket, how: Cut): void {
  socket.on('error', () => {});
  if (how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
