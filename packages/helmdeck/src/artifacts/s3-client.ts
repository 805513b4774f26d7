import { createHash } from 'node:crypto';
import type { AwsClient } from 'aws4fetch';
import { AppError } from '../errors.ts';

/** Where objects are kept and who asks for them. */
export interface S3Account {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  region: string;
  /** `https://host/bucket/key`, which every server understands, or `https://bucket.host/key`, which AWS prefers. */
  addressing: 'path' | 'virtual';
  timeoutMs?: number;
}

export interface S3Object {
  key: string;
  bytes: number;
  modifiedMs: number;
}

/** One bucket. Keys are made of letters, digits, `/`, `-`, `_` and `.`. */
export interface S3Client {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** In parts, so that its size need not be known; it appears when the last part is there, or not at all. */
  putParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<void>;
  /** The time limit includes the reading of the body. */
  get(key: string, timeoutMs?: number): Promise<Response | undefined>;
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<S3Object>;
}

const TIMEOUT_MS = 30_000;
const PART_TIMEOUT_MS = 300_000;
/** Attempts after the first; the client waits longer before each. */
const RETRIES = 3;

export async function openS3(account: S3Account, bucket: string): Promise<S3Client> {
  const client = await createClient(account);
  const base = baseOf(account, bucket);

  async function ask(
    path: string,
    init: RequestInit = {},
    timeoutMs = account.timeoutMs ?? TIMEOUT_MS,
  ): Promise<Response> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      // A redirect would take sealed bytes to a place nobody configured.
      return await client.fetch(`${base}${path}`, { ...init, signal, redirect: 'manual' });
    } catch (thrown) {
      throw failed('did not answer', thrown);
    }
  }

  async function send(path: string, bytes: Uint8Array, timeoutMs?: number): Promise<Response> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const headers = { 'x-amz-content-sha256': sha256 };
    const answer = await ask(path, { method: 'PUT', body: Buffer.from(bytes), headers }, timeoutMs);
    await drained(answer);
    if (!answer.ok) throw failed(`refused a write with status ${answer.status}`);
    return answer;
  }

  return {
    put: async (key, bytes) => void (await send(`/${key}`, bytes)),
    putParts: (key, parts) => uploadParts({ ask, send }, key, parts),
    async get(key, timeoutMs) {
      const answer = await ask(`/${key}`, {}, timeoutMs);
      if (answer.ok) return answer;
      const code = textOf(await answer.text(), 'Code');
      if (answer.status === 404 && code !== 'NoSuchBucket') return undefined;
      throw failed(`refused a read with status ${answer.status}`);
    },
    async delete(key) {
      const answer = await ask(`/${key}`, { method: 'DELETE' });
      await drained(answer);
      if (!answer.ok && answer.status !== 404) throw failed(`refused a delete with status ${answer.status}`);
    },
    async *list(prefix) {
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix });
        if (token !== undefined) query.set('continuation-token', token);
        const answer = await ask(`/?${query}`);
        const text = await answer.text();
        if (!answer.ok) throw failed(`refused a list with status ${answer.status}`);
        yield* objectsOf(text);
        token = textOf(text, 'NextContinuationToken');
      } while (token !== undefined);
    },
  };
}

function baseOf({ endpoint, addressing }: S3Account, bucket: string): string {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, '');
  if (addressing === 'virtual') return `${url.protocol}//${bucket}.${url.host}${path}`;
  return `${url.origin}${path}/${encodeURIComponent(bucket)}`;
}

interface Wire {
  ask(path: string, init?: RequestInit): Promise<Response>;
  send(path: string, bytes: Uint8Array, timeoutMs?: number): Promise<Response>;
}

async function uploadParts(wire: Wire, key: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const begun = await wire.ask(`/${key}?uploads=`, { method: 'POST' });
  const uploadId = textOf(await begun.text(), 'UploadId');
  if (!begun.ok || uploadId === undefined) throw failed(`refused an upload with status ${begun.status}`);
  const upload = new URLSearchParams({ uploadId });
  try {
    const list: string[] = [];
    for await (const part of parts) {
      const number = list.length + 1;
      const answer = await wire.send(`/${key}?partNumber=${number}&${upload}`, part, PART_TIMEOUT_MS);
      const tag = answer.headers.get('etag') ?? '';
      list.push(`<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`);
    }
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
    const ended = await wire.ask(`/${key}?${upload}`, { method: 'POST', body });
    // A server may answer 200 first and report the failure in the body.
    const text = await ended.text();
    if (!ended.ok || textOf(text, 'Code') !== undefined)
      throw failed(`did not finish an upload (status ${ended.status})`);
  } catch (thrown) {
    // Parts that nobody finishes would be paid for and never seen.
    await wire.ask(`/${key}?${upload}`, { method: 'DELETE' }).then(drained, () => undefined);
    throw thrown;
  }
}

async function createClient({ accessKey, secretKey, region }: S3Account): Promise<AwsClient> {
  const keys = { accessKeyId: accessKey, secretAccessKey: secretKey };
  try {
    const { AwsClient } = await import('aws4fetch');
    return new AwsClient({ ...keys, region, service: 's3', retries: RETRIES });
  } catch (thrown) {
    throw new AppError('artifact_failed', 'S3 is configured, but the package "aws4fetch" is not installed.', {
      reason: 'missing_package',
      hint: 'Run "npm install aws4fetch" beside Helmdeck, or unset HELMDECK_S3_ENDPOINT.',
      cause: thrown,
    });
  }
}

/** Reads the rest of an answer, so that its connection can be used again. */
async function drained(answer: Response): Promise<void> {
  await answer.arrayBuffer().catch(() => undefined);
}

export function failed(what: string, cause?: unknown): AppError {
  return new AppError('artifact_failed', `The S3 storage ${what}.`, {
    reason: 's3',
    hint: 'Check that it runs, and the settings HELMDECK_S3_*; then try again.',
    cause,
  });
}

// The answers of a list are flat and their names are ours: no need for a parser of all of XML.
function* objectsOf(xml: string): Generator<S3Object> {
  for (const [, contents] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const key = textOf(contents!, 'Key') ?? '';
    const modifiedMs = Date.parse(textOf(contents!, 'LastModified') ?? '');
    const bytes = Number(textOf(contents!, 'Size'));
    if (!Number.isNaN(modifiedMs)) yield { key, bytes, modifiedMs };
  }
}

function textOf(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
