import { connect, type Socket } from 'node:net';

/** Makes the request with this number, as raw HTTP/1.1. */
export type RequestMaker = (number: number) => string;

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  longestMs: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');
let number = 0;

/** Keeps `connections` busy for `seconds`, one request at a time on each; any status but 200 is an error. */
export async function load(
  url: string,
  connections: number,
  seconds: number,
  make: RequestMaker,
): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  return runWorkers(connections, seconds, (endMs, latencies) =>
    drive(connect(Number(port), hostname), endMs, make, latencies),
  );
}

/** The same without HTTP: `workers` that make one call after another. */
export async function loadCalls(
  workers: number,
  seconds: number,
  call: (number: number, worker: number) => Promise<unknown>,
): Promise<LoadResult> {
  return runWorkers(workers, seconds, async (endMs, latencies, worker) => {
    for (let sentMs = performance.now(); sentMs < endMs; sentMs = performance.now()) {
      await call(++number, worker);
      latencies.push(performance.now() - sentMs);
    }
  });
}

async function runWorkers(
  workers: number,
  seconds: number,
  work: (endMs: number, latencies: number[], worker: number) => Promise<void>,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(endMs, latencies, worker)));
  const elapsed = (performance.now() - startMs) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    perSecond: latencies.length / elapsed,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    longestMs: latencies.at(-1) ?? 0,
  };
}

function drive(socket: Socket, endMs: number, make: RequestMaker, latencies: number[]): Promise<void> {
  socket.setNoDelay(true);
  return new Promise((resolve, reject) => {
    let sentMs = 0;
    let pending: Buffer = Buffer.alloc(0);
    let next = Buffer.from(make(++number));
    const send = () => {
      sentMs = performance.now();
      socket.write(next);
      next = Buffer.from(make(++number)); // prepared while the server works, like the record of the raw appends
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const headerEnd = pending.indexOf(HEADER_END);
      if (headerEnd < 0) return;
      const header = pending.toString('latin1', 0, headerEnd);
      const length = Number(/content-length: *(\d+)/i.exec(header)?.[1] ?? 0);
      if (pending.length < headerEnd + 4 + length) return;
      if (!header.startsWith('HTTP/1.1 200')) {
        reject(new Error(`unexpected response: ${pending.toString('utf8').slice(0, 300)}`));
        return;
      }
      pending = Buffer.alloc(0);
      const nowMs = performance.now();
      latencies.push(nowMs - sentMs);
      if (nowMs < endMs) send();
      else {
        socket.destroy();
        resolve();
      }
    });
  });
}

export function get(path: string, token = ''): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`;
}

export function post(path: string, body: string, token = ''): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}
