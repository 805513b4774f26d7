import { createClient } from '@redis/client';
import { type RedisServer, startRedis } from './redis.ts';

const SLOTS = 16_384;

/** A Redis cluster of three servers. */
export interface RedisCluster {
  servers: readonly RedisServer[];
  /** The address of the first server; clients discover the others. */
  url(parameters?: string): string;
  stop(): Promise<void>;
}

/** Starts a cluster, or returns the reason why it cannot. */
export async function startRedisCluster(): Promise<RedisCluster | string> {
  const servers: RedisServer[] = [];
  for (let i = 0; i < 3; i++) {
    const server = await startRedis({
      'cluster-enabled': 'yes',
      'cluster-node-timeout': '5000',
      appendfsync: 'no',
    });
    if (typeof server === 'string') return server;
    servers.push(server);
  }
  const clients = servers.map((server) => createClient({ url: server.url(), RESP: 2 }));
  for (const client of clients) await client.connect();
  const share = Math.ceil(SLOTS / servers.length);
  for (const [i, client] of clients.entries()) {
    const [first, last] = [i * share, Math.min((i + 1) * share, SLOTS) - 1];
    await client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1)]);
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', String(first), String(last)]);
    await client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(servers[0]!.port)]);
  }
  for (const client of clients) {
    const isReady = async () => {
      const info = String(await client.sendCommand(['CLUSTER', 'INFO']));
      return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3');
    };
    while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50));
    client.destroy();
  }
  return {
    servers,
    url: servers[0]!.url,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
