import { createHash } from 'node:crypto';
import type { AwsClient } from 'aws4fetch';
import { AppError } from '../errors.ts';
import { installHint } from '../runtime/install-hint.ts';

/** An S3 endpoint and the credentials for it. */
export interface S3Account {
  endpoint: string;
  accessKey: string;
  secretKey: string;
  region: string;
  /** `https://host/bucket/key`, which every server supports, or `https://bucket.host/key`, which AWS prefers. */
  addressing: 'path' | 'virtual';
  timeoutMs?: number;
}

export interface S3Object {
  key: string;
  bytes: number;
  modifiedMs: number;
}

/** The operations on one bucket. Keys consist of letters, digits, `/`, `-`, `_` and `.`. */
export interface S3Client {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** A multipart upload, whose size need not be known; the object appears when it is complete, or not at all. */
  putParts(key: string, parts: AsyncIterable<Uint8Array>): Promise<void>;
  /** The timeout includes reading the body. */
  get(key: string, timeoutMs?: number): Promise<Response | undefined>;
  delete(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<S3Object>;
}

const TIMEOUT_MS = 30_000;
const PART_TIMEOUT_MS = 300_000;
/** Attempts after the first, with exponential backoff. */
const RETRIES = 3;

export async function openS3(account: S3Account, bucket: string): Promise<S3Client> {
  const client = await createClient(account);
  const base = baseOf(account, bucket);

  async function request(
    path: string,
    init: RequestInit = {},
    timeoutMs = account.timeoutMs ?? TIMEOUT_MS,
  ): Promise<Response> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      // Following a redirect would send sealed bytes to a host that is not configured.
      return await client.fetch(`${base}${path}`, { ...init, signal, redirect: 'manual' });
    } catch (thrown) {
      throw s3Error('did not respond', thrown);
    }
  }

  async function upload(path: string, bytes: Uint8Array, timeoutMs?: number): Promise<Response> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const headers = { 'x-amz-content-sha256': sha256 };
    const response = await request(path, { method: 'PUT', body: Buffer.from(bytes), headers }, timeoutMs);
    await drain(response);
    if (!response.ok) throw s3Error(`refused a write with status ${response.status}`);
    return response;
  }

  return {
    put: async (key, bytes) => void (await upload(`/${key}`, bytes)),
    putParts: (key, parts) => uploadParts({ request, upload }, key, parts),
    async get(key, timeoutMs) {
      const response = await request(`/${key}`, {}, timeoutMs);
      if (response.ok) return response;
      const code = textOf(await response.text(), 'Code');
      if (response.status === 404 && code !== 'NoSuchBucket') return undefined;
      throw s3Error(`refused a read with status ${response.status}`);
    },
    async delete(key) {
      const response = await request(`/${key}`, { method: 'DELETE' });
      await drain(response);
      if (!response.ok && response.status !== 404)
        throw s3Error(`refused a delete with status ${response.status}`);
    },
    async *list(prefix) {
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix });
        if (token !== undefined) query.set('continuation-token', token);
        const response = await request(`/?${query}`);
        const text = await response.text();
        if (!response.ok) throw s3Error(`refused a list with status ${response.status}`);
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

interface Requests {
  request(path: string, init?: RequestInit): Promise<Response>;
  upload(path: string, bytes: Uint8Array, timeoutMs?: number): Promise<Response>;
}

async function uploadParts(
  { request, upload }: Requests,
  key: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  const created = await request(`/${key}?uploads=`, { method: 'POST' });
  const uploadId = textOf(await created.text(), 'UploadId');
  if (!created.ok || uploadId === undefined) throw s3Error(`refused an upload with status ${created.status}`);
  const query = new URLSearchParams({ uploadId });
  try {
    const list: string[] = [];
    for await (const part of parts) {
      const number = list.length + 1;
      const response = await upload(`/${key}?partNumber=${number}&${query}`, part, PART_TIMEOUT_MS);
      const tag = response.headers.get('etag') ?? '';
      list.push(`<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`);
    }
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
    const completed = await request(`/${key}?${query}`, { method: 'POST', body });
    // S3 may respond with 200 and report the failure in the body.
    const text = await completed.text();
    if (!completed.ok || textOf(text, 'Code') !== undefined)
      throw s3Error(`did not complete an upload (status ${completed.status})`);
  } catch (thrown) {
    // Parts of an unfinished upload are invisible and billed.
    await request(`/${key}?${query}`, { method: 'DELETE' }).then(drain, () => undefined);
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
      hint: `${installHint('aws4fetch')} Or unset HELMDECK_S3_ENDPOINT.`,
      cause: thrown,
    });
  }
}

/** Reads the rest of a response, so that its connection can be reused. */
async function drain(response: Response): Promise<void> {
  await response.arrayBuffer().catch(() => undefined);
}

export function s3Error(what: string, cause?: unknown): AppError {
  return new AppError('artifact_failed', `The S3 storage ${what}.`, {
    reason: 's3',
    hint: 'Check that it runs, and the settings HELMDECK_S3_*; then try again.',
    cause,
  });
}

// List responses are flat and contain only our own keys, so a full XML parser is not needed.
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
