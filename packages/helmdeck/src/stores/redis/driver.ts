import type { RedisClientType, RedisClusterType } from '@redis/client';
import { AppError } from '../../errors.ts';
import type { DatabaseConnections } from '../../memory/store.ts';
import { installHint } from '../../runtime/install-hint.ts';
import { isTlsError, replyErrorCode, toStoreError } from './errors.ts';
import { createReadyConnections } from './ready-connections.ts';
import type { RedisScript } from './scripts.ts';

export type RedisArgument = string | Buffer;

/** A connection to one server or a cluster. Commands are routed by key; replies are buffers and numbers. */
export interface RedisDriver {
  send<T>(key: RedisArgument, args: readonly RedisArgument[]): Promise<T>;
  run<T>(script: RedisScript, key: RedisArgument, args: readonly RedisArgument[]): Promise<T>;
  /** Sends a command to every primary. */
  sendToAll<T>(args: readonly RedisArgument[]): Promise<T[]>;
  /** Subscribes to a channel; the listener gets `undefined` when messages may have been missed. Returns unsubscribe. */
  subscribe(channel: string, listener: (message: Buffer | undefined) => void): () => void;
  connections(): DatabaseConnections;
  close(): Promise<void>;
}

export interface DriverOptions {
  /** Limit for the first connection, all attempts together; 0 for one attempt. */
  connectTimeoutMs?: number;
  /** Limit for the reply to one command. */
  responseTimeoutMs?: number;
  /** Called after each request, failed ones included. */
  onCall?: (seconds: number) => void;
}

type Client = RedisClientType | RedisClusterType;

export const CONNECT_TIMEOUT_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_RECONNECT_DELAY_MS = 1_000;

export async function connectRedis(url: string, options: DriverOptions = {}): Promise<RedisDriver> {
  const redis = await loadClient();
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, responseTimeoutMs = RESPONSE_TIMEOUT_MS, onCall } = options;
  const typeMapping = { [redis.RESP_TYPES.BLOB_STRING]: Buffer };
  const connectDeadlineMs = performance.now() + connectTimeoutMs;
  const connections = createReadyConnections();
  let pendingCalls = 0;
  let isConnected = false;
  // A new object for each client, because clients modify their options.
  const clientOptions = () => ({
    name: 'helmdeck',
    // Without a connection, commands fail at once instead of waiting in a queue.
    disableOfflineQueue: true,
    maintNotifications: 'disabled' as const,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS / 2,
      reconnectStrategy: (retries: number, cause: Error) => {
        const isPermanent = replyErrorCode(cause) !== undefined || isTlsError(cause);
        if (!isConnected && (isPermanent || performance.now() > connectDeadlineMs)) return false;
        return Math.min(2 ** retries * 20, MAX_RECONNECT_DELAY_MS) + Math.random() * 50;
      },
    },
  });

  function createSingle(): RedisClientType {
    const client = redis.createClient({ url, RESP: 2, ...clientOptions() });
    client.on('error', () => {}); // the next command fails with the error
    return client as unknown as RedisClientType;
  }
  function createCluster(): RedisClusterType {
    const { username, password, protocol } = new URL(url);
    const options = clientOptions();
    const defaults = {
      ...options,
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      socket: { ...options.socket, ...(protocol === 'rediss:' ? { tls: true as const } : {}) },
    };
    const all = redis.createCluster({ RESP: 2, rootNodes: [{ url }], defaults });
    all.on('error', () => {});
    const cluster = all as unknown as RedisClusterType;
    connections.watchCluster(cluster);
    return cluster;
  }

  async function connect(): Promise<Client> {
    const first = createSingle();
    connections.watchClient(first);
    try {
      await first.connect();
      const info = String(await first.sendCommand(['INFO', 'server']));
      if (!info.includes('redis_mode:cluster')) return first;
    } catch (thrown) {
      first.destroy();
      throw toStoreError(thrown);
    }
    first.destroy();
    const all = createCluster();
    await all.connect().catch((thrown) => {
      throw toStoreError(thrown);
    });
    return all;
  }

  let client = await connect();
  isConnected = true;
  let closed = false;
  const subscriptions = new Set<() => void>();

  /** Opens a new connection: a server that does not respond may have moved, and TCP notices only after 15 minutes. */
  function replaceClient(stale: Client): void {
    if (client !== stale || closed) return;
    connections.loseAll();
    stale.destroy();
    if ('createPool' in stale) {
      client = createSingle();
      connections.watchClient(client);
    } else client = createCluster();
    const reconnect = (created: Client) =>
      created.connect().catch(() => {
        if (client === created && !closed) setTimeout(reconnect, MAX_RECONNECT_DELAY_MS, created).unref();
      });
    void reconnect(client);
  }

  function request<T>(send: (client: Client) => Promise<unknown>): Promise<T> {
    if (closed) return Promise.reject(closedError());
    const used = client;
    const startMs = performance.now();
    pendingCalls++;
    return new Promise((resolve, reject) => {
      let isDone = false;
      const giveUp = () => {
        if (isDone) return;
        replaceClient(used);
        reject(toStoreError(undefined));
      };
      // If this process was blocked, the reply may be in the socket already: two ticks let it be read first.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), responseTimeoutMs);
      send(used)
        .then(resolve as (value: unknown) => void, (thrown) => reject(toStoreError(thrown)))
        .finally(() => {
          isDone = true;
          pendingCalls--;
          onCall?.((performance.now() - startMs) / 1000);
          clearTimeout(timer);
        });
    });
  }

  const command = (key: RedisArgument, args: readonly RedisArgument[]) => (to: Client) =>
    'createPool' in to
      ? to.sendCommand(args, { typeMapping })
      : to.sendCommand(key, false, [...args], { typeMapping });

  return {
    send: (key, args) => request(command(key, args)),
    run: (script, key, args) =>
      request(async (to) => {
        try {
          return await command(key, ['EVALSHA', script.sha1, '1', key, ...args])(to);
        } catch (thrown) {
          if (replyErrorCode(thrown) !== 'NOSCRIPT') throw thrown;
          return command(key, ['EVAL', script.source, '1', key, ...args])(to);
        }
      }),
    sendToAll: (args) =>
      request(async (to) => {
        if ('createPool' in to) return [await to.sendCommand(args, { typeMapping })];
        const nodes = await Promise.all(to.masters.map((node) => to.nodeClient(node)));
        return Promise.all(nodes.map((node) => node.sendCommand(args, { typeMapping })));
      }),
    subscribe(channel, listener) {
      // One connection is enough: the servers of a cluster forward messages to each other.
      const subscriber = createSingle();
      let wasReady = false;
      subscriber.on('ready', () => {
        if (wasReady) listener(undefined);
        wasReady = true;
      });
      const unsubscribe = () => {
        subscriptions.delete(unsubscribe);
        subscriber.destroy();
      };
      subscriptions.add(unsubscribe);
      subscriber
        .connect()
        .then(() => subscriber.subscribe(channel, (message) => listener(message), true))
        .catch(() => listener(undefined));
      return unsubscribe;
    },
    connections: () => ({
      open: connections.open,
      pendingCalls,
      lost: connections.lost,
      reconnects: connections.reconnects,
    }),
    async close() {
      if (closed) return;
      closed = true;
      for (const unsubscribe of subscriptions) unsubscribe();
      await client.close().catch(() => client.destroy());
    },
  };
}

function closedError(): AppError {
  return new AppError('memory_unavailable', 'The connection to Redis is closed.', { reason: 'closed' });
}

async function loadClient(): Promise<typeof import('@redis/client')> {
  try {
    return await import('@redis/client');
  } catch (thrown) {
    throw new AppError('memory_unavailable', 'The package "@redis/client" is not installed.', {
      reason: 'missing_package',
      hint: installHint('@redis/client'),
      cause: thrown,
    });
  }
}
