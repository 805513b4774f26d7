import type { RedisClientType, RedisClusterType } from '@redis/client';
import { AppError } from '../../errors.ts';
import { answerWord, isCertificateProblem, redisError } from './errors.ts';
import type { RedisScript } from './scripts.ts';

export type RedisArgument = string | Buffer;

/** One server or a cluster; commands go to where their key is, and come back as buffers and numbers. */
export interface RedisDriver {
  send<T>(key: RedisArgument, args: readonly RedisArgument[]): Promise<T>;
  run<T>(script: RedisScript, key: RedisArgument, args: readonly RedisArgument[]): Promise<T>;
  /** The same question to every server that takes writes. */
  askAll<T>(args: readonly RedisArgument[]): Promise<T[]>;
  /** Messages of a channel; `undefined` when some may have been missed. */
  listen(channel: string, listener: (message: Buffer | undefined) => void): () => void;
  close(): Promise<void>;
}

export interface DriverOptions {
  /** How long the first connection may take, all attempts together. */
  connectMs?: number;
  /** How long one answer may take. */
  answerMs?: number;
}

type Client = RedisClientType | RedisClusterType;

const CONNECT_MS = 10_000;
const ANSWER_MS = 10_000;
const MAX_PAUSE_MS = 1_000;

export async function connectRedis(url: string, options: DriverOptions = {}): Promise<RedisDriver> {
  const redis = await loadClient();
  const { connectMs = CONNECT_MS, answerMs = ANSWER_MS } = options;
  const typeMapping = { [redis.RESP_TYPES.BLOB_STRING]: Buffer };
  const giveUpMs = performance.now() + connectMs;
  let opened = false;
  // Made anew for each client, because clients write into what they are given.
  const clientOptions = () => ({
    name: 'helmdeck',
    // Whoever asks while there is no connection is told so, and not kept waiting.
    disableOfflineQueue: true,
    maintNotifications: 'disabled' as const,
    socket: {
      connectTimeout: CONNECT_MS / 2,
      reconnectStrategy: (retries: number, cause: Error) => {
        const refused = answerWord(cause) !== undefined || isCertificateProblem(cause);
        if (!opened && (refused || performance.now() > giveUpMs)) return false;
        return Math.min(2 ** retries * 20, MAX_PAUSE_MS) + Math.random() * 50;
      },
    },
  });

  function single(): RedisClientType {
    const client = redis.createClient({ url, RESP: 2, ...clientOptions() });
    client.on('error', () => {}); // whoever sends a command hears of it
    return client as unknown as RedisClientType;
  }
  function cluster(): RedisClusterType {
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
    return all as unknown as RedisClusterType;
  }

  async function connect(): Promise<Client> {
    const first = single();
    try {
      await first.connect();
      const mode = String(await first.sendCommand(['INFO', 'server']));
      if (!mode.includes('redis_mode:cluster')) return first;
    } catch (thrown) {
      first.destroy();
      throw redisError(thrown);
    }
    first.destroy();
    const all = cluster();
    await all.connect().catch((thrown) => {
      throw redisError(thrown);
    });
    return all;
  }

  let client = await connect();
  opened = true;
  let closed = false;
  const listeners = new Set<() => void>();

  /** A server that stopped answering may have been replaced: its connection would hang for a quarter of an hour. */
  function startOver(stale: Client): void {
    if (client !== stale || closed) return;
    client = 'createPool' in stale ? single() : cluster();
    stale.destroy();
    const reconnect = (made: Client) =>
      made.connect().catch(() => {
        if (client === made && !closed) setTimeout(reconnect, MAX_PAUSE_MS, made).unref();
      });
    void reconnect(client);
  }

  function ask<T>(send: (client: Client) => Promise<unknown>): Promise<T> {
    if (closed) return Promise.reject(closedError());
    const asked = client;
    return new Promise((resolve, reject) => {
      let answered = false;
      const giveUp = () => {
        if (answered) return;
        startOver(asked);
        reject(redisError(undefined));
      };
      // A process that was held up itself finds the answer waiting: it is read before anybody gives up.
      const late = setTimeout(() => setImmediate(() => setImmediate(giveUp)), answerMs);
      send(asked)
        .then(resolve as (value: unknown) => void, (thrown) => reject(redisError(thrown)))
        .finally(() => {
          answered = true;
          clearTimeout(late);
        });
    });
  }

  const command = (key: RedisArgument, args: readonly RedisArgument[]) => (to: Client) =>
    'createPool' in to
      ? to.sendCommand(args, { typeMapping })
      : to.sendCommand(key, false, [...args], { typeMapping });

  return {
    send: (key, args) => ask(command(key, args)),
    run: (script, key, args) =>
      ask(async (to) => {
        try {
          return await command(key, ['EVALSHA', script.sha1, '1', key, ...args])(to);
        } catch (thrown) {
          if (answerWord(thrown) !== 'NOSCRIPT') throw thrown;
          return command(key, ['EVAL', script.source, '1', key, ...args])(to);
        }
      }),
    askAll: (args) =>
      ask(async (to) => {
        if ('createPool' in to) return [await to.sendCommand(args, { typeMapping })];
        const nodes = await Promise.all(to.masters.map((node) => to.nodeClient(node)));
        return Promise.all(nodes.map((node) => node.sendCommand(args, { typeMapping })));
      }),
    listen(channel, listener) {
      // A connection of its own: any server of a cluster passes on what any other one is told.
      const subscriber = single();
      let heardBefore = false;
      subscriber.on('ready', () => {
        if (heardBefore) listener(undefined);
        heardBefore = true;
      });
      const stop = () => {
        listeners.delete(stop);
        subscriber.destroy();
      };
      listeners.add(stop);
      subscriber
        .connect()
        .then(() => subscriber.subscribe(channel, (message) => listener(message), true))
        .catch(() => listener(undefined));
      return stop;
    },
    async close() {
      if (closed) return;
      closed = true;
      for (const stop of listeners) stop();
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
    throw new AppError(
      'memory_unavailable',
      'Redis is configured, but the package "@redis/client" is not installed.',
      {
        reason: 'missing_package',
        hint: 'Run "npm install @redis/client" beside Helmdeck.',
        cause: thrown,
      },
    );
  }
}
