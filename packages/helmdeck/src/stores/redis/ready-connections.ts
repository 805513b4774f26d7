import type { RedisClientType, RedisClusterType } from '@redis/client';

/** Which connections are ready, and how many were lost and made again. */
export interface ReadyConnections {
  readonly open: number;
  readonly lost: number;
  readonly reconnects: number;
  watchClient(client: RedisClientType): void;
  /** A cluster has a connection to each of its servers. */
  watchCluster(cluster: RedisClusterType): void;
  /** Counts every connection as lost: the server does not respond. */
  loseAll(): void;
}

interface Node {
  host: string;
  port: number;
}

export function createReadyConnections(): ReadyConnections {
  const ready = new Set<string>();
  let lost = 0;
  let reconnects = 0;

  function add(name: string): void {
    ready.add(name);
    if (reconnects < lost) reconnects++;
  }
  /** Attempts to reconnect that fail are errors as well, but their connection was not ready. */
  function lose(name: string): void {
    if (ready.delete(name)) lost++;
  }

  return {
    get open() {
      return ready.size;
    },
    get lost() {
      return lost;
    },
    get reconnects() {
      return reconnects;
    },
    watchClient(client) {
      client.on('ready', () => add(''));
      client.on('error', () => lose(''));
      client.on('end', () => ready.delete(''));
    },
    watchCluster(cluster) {
      const nameOf = ({ host, port }: Node) => `${host}:${port}`;
      cluster.on('node-ready', (node: Node) => add(nameOf(node)));
      cluster.on('node-error', (_error: Error, node: Node) => lose(nameOf(node)));
      cluster.on('node-disconnect', (node: Node) => ready.delete(nameOf(node)));
    },
    loseAll() {
      for (const name of ready) lose(name);
    },
  };
}
