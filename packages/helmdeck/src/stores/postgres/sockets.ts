import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { PostgresAddress } from './address.ts';
import { unreachable, untrusted } from './errors.ts';

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S'.charCodeAt(0);
const LOOK_MS = 1_000;
/** Past this a server that was asked and says nothing is taken for gone: the kernel alone would wait a quarter of an hour. */
export const SILENCE_MS = 10_000;
/** A server that hangs up at once is not called again at once. */
const PAUSE_MS = 200;

/** Opens connections for the driver, encrypted where asked for, and ends those whose other end is gone. */
export interface Sockets {
  /** `isAsked`: whether somebody waits for an answer on it. */
  open(isAsked: () => boolean): Promise<Socket>;
  close(): void;
}

interface Watched {
  raw: Socket;
  isAsked: () => boolean;
  read: number;
  /** Since when it has been asked without an answer. */
  waitingMs: number | undefined;
}

export function createSockets(address: PostgresAddress, silenceMs: number): Sockets {
  const watched = new Set<Watched>();
  let openedMs = Number.NEGATIVE_INFINITY;

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const one of watched) {
      const { raw } = one;
      if (!one.isAsked()) one.waitingMs = undefined;
      else if (raw.bytesRead !== one.read) one.waitingMs = nowMs;
      else one.waitingMs ??= nowMs;
      one.read = raw.bytesRead;
      if (one.waitingMs !== undefined && nowMs - one.waitingMs > silenceMs) raw.destroy(unreachable());
    }
  }, LOOK_MS).unref();

  async function open(isAsked: () => boolean): Promise<Socket> {
    const sinceMs = performance.now() - openedMs;
    if (sinceMs < PAUSE_MS && watched.size === 0) await delay(PAUSE_MS - sinceMs);
    openedMs = performance.now();
    const raw = await connected(address);
    const one: Watched = { raw, isAsked, read: 0, waitingMs: undefined };
    watched.add(one);
    raw.once('close', () => watched.delete(one));
    try {
      return await encrypted(raw, address);
    } catch (thrown) {
      raw.destroy();
      throw thrown;
    }
  }
  function close(): void {
    clearInterval(timer);
    for (const { raw } of watched) raw.destroy();
  }
  return { open, close };
}

function connected({ host, port, connectTimeoutMs }: PostgresAddress): Promise<Socket> {
  const socket = host.startsWith('/') ? connectTcp(`${host}/.s.PGSQL.${port}`) : connectTcp(port, host);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, SILENCE_MS);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => socket.destroy(unreachable()), connectTimeoutMs);
    socket.once('connect', () => {
      clearTimeout(late);
      socket.removeListener('error', reject);
      resolve(socket);
    });
    socket.once('error', (thrown) => {
      clearTimeout(late);
      reject(thrown);
    });
  });
}

async function encrypted(raw: Socket, { tls, connectTimeoutMs }: PostgresAddress): Promise<Socket> {
  if (!tls) return raw;
  const late = setTimeout(() => raw.destroy(unreachable()), connectTimeoutMs);
  try {
    if ((await answerTo(raw, SSL_REQUEST)) !== YES) {
      if (tls.optional) return raw;
      throw untrusted();
    }
    const secure = connectTls({ ...tls.options, socket: raw });
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve);
      secure.once('error', reject);
    });
    secure.removeAllListeners('error');
    return secure;
  } finally {
    clearTimeout(late);
  }
}

/** Sends a request and gives the first byte of what comes back. */
function answerTo(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(unreachable());
    socket.once('data', (answer) => {
      socket.removeListener('error', reject);
      socket.removeListener('close', closed);
      resolve(answer[0]!);
    });
    socket.once('error', reject);
    socket.once('close', closed);
    socket.write(request);
  });
}
