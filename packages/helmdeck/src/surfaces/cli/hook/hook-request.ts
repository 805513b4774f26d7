import type { IncomingMessage, RequestOptions } from 'node:http';

/** A server and the token of the program that the hook belongs to. */
export interface HookServer {
  url: string;
  token?: string;
}

export interface HookAnswer {
  status: number;
  /** Undefined if the body is not JSON. */
  body: unknown;
}

const MAX_ANSWER_BYTES = 1 << 20;

/**
 * One request within a time limit. With `node:http`, because loading `fetch` takes longer than the request. Rejects if
 * the server does not answer in time.
 */
export async function hookRequest(
  { url, token }: HookServer,
  path: string,
  { body, limitMs }: { body?: object; limitMs: number },
): Promise<HookAnswer> {
  const address = new URL(url + path);
  const { request } = address.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions = {
    method: text === undefined ? 'GET' : 'POST',
    agent: false,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    },
    signal: AbortSignal.timeout(Math.max(1, Math.ceil(limitMs))),
  };
  return new Promise((resolve, reject) => {
    const sent = request(address, options, (answer) => {
      readAnswer(answer).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<HookAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
