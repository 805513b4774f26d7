import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { PostgresAddress } from './address.ts';
import { unreachable, untrusted } from './errors.ts';

/** The SSLRequest message: length 8, code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const SSL_ACCEPTED = 'S'.charCodeAt(0);
const CHECK_INTERVAL_MS = 1_000;
/** A server that sends nothing for this long while a statement is pending counts as dead; TCP alone takes 15 minutes. */
export const RESPONSE_TIMEOUT_MS = 10_000;
/** Keeps a server that closes every new connection from being called in a tight loop. */
const MIN_RECONNECT_INTERVAL_MS = 200;

/** Opens sockets for the driver, with TLS if configured, and destroys those whose server stopped responding. */
export interface Sockets {
  /** `isAwaitingResponse`: whether a statement is pending on the socket. */
  open(isAwaitingResponse: () => boolean): Promise<Socket>;
  close(): void;
}

interface WatchedSocket {
  raw: Socket;
  isAwaitingResponse: () => boolean;
  bytesRead: number;
  /** Since when a statement is pending and nothing was received. */
  waitingSinceMs: number | undefined;
}

export function createSockets(address: PostgresAddress, responseTimeoutMs: number): Sockets {
  const watched = new Set<WatchedSocket>();
  let lastOpenedMs = Number.NEGATIVE_INFINITY;

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const socket of watched) {
      const { raw } = socket;
      if (!socket.isAwaitingResponse()) socket.waitingSinceMs = undefined;
      else if (raw.bytesRead !== socket.bytesRead) socket.waitingSinceMs = nowMs;
      else socket.waitingSinceMs ??= nowMs;
      socket.bytesRead = raw.bytesRead;
      const { waitingSinceMs } = socket;
      if (waitingSinceMs !== undefined && nowMs - waitingSinceMs > responseTimeoutMs)
        raw.destroy(unreachable());
    }
  }, CHECK_INTERVAL_MS).unref();

  async function open(isAwaitingResponse: () => boolean): Promise<Socket> {
    const sinceMs = performance.now() - lastOpenedMs;
    if (sinceMs < MIN_RECONNECT_INTERVAL_MS && watched.size === 0)
      await delay(MIN_RECONNECT_INTERVAL_MS - sinceMs);
    lastOpenedMs = performance.now();
    const raw = await connectSocket(address);
    const socket: WatchedSocket = { raw, isAwaitingResponse, bytesRead: 0, waitingSinceMs: undefined };
    watched.add(socket);
    raw.once('close', () => watched.delete(socket));
    try {
      return await upgradeToTls(raw, address);
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

function connectSocket({ host, port, connectTimeoutMs }: PostgresAddress): Promise<Socket> {
  const socket = host.startsWith('/') ? connectTcp(`${host}/.s.PGSQL.${port}`) : connectTcp(port, host);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, RESPONSE_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(unreachable()), connectTimeoutMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeListener('error', reject);
      resolve(socket);
    });
    socket.once('error', (thrown) => {
      clearTimeout(timer);
      reject(thrown);
    });
  });
}

/** Negotiates TLS if the address configures it. Returns the plain socket without TLS, or if the server declines optional TLS. */
async function upgradeToTls(raw: Socket, { tls, connectTimeoutMs }: PostgresAddress): Promise<Socket> {
  if (!tls) return raw;
  const timer = setTimeout(() => raw.destroy(unreachable()), connectTimeoutMs);
  try {
    if ((await firstResponseByte(raw, SSL_REQUEST)) !== SSL_ACCEPTED) {
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
    clearTimeout(timer);
  }
}

function firstResponseByte(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(unreachable());
    socket.once('data', (response) => {
      socket.removeListener('error', reject);
      socket.removeListener('close', onClose);
      resolve(response[0]!);
    });
    socket.once('error', reject);
    socket.once('close', onClose);
    socket.write(request);
  });
}
