import { createHash } from 'node:crypto';
import type { AwsClient } from 'aws4fetch';
import { AppError } from '../errors.ts';
import { type BlobName, type BlobStore, blobPath, type FoundBlob, parseBlobPath } from './blob-store.ts';

export interface S3Options {
  endpoint: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
  region: string;
  /** Keeps servers apart that share a bucket. */
  folder: string;
  timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
/** Attempts after the first; the client waits longer before each. */
const RETRIES = 3;

/** Blobs as objects `<folder>/<namespace>/<row>` of a bucket, addressed by path, which every S3 server understands. */
export async function openS3Blobs(options: S3Options): Promise<BlobStore> {
  const client = await createClient(options);
  const { folder } = options;
  const base = `${options.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(options.bucket)}`;

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
      // A redirect would take sealed bytes to a place nobody configured.
      return await client.fetch(`${base}${path}`, { ...init, signal, redirect: 'manual' });
    } catch (thrown) {
      throw failed('did not answer', thrown);
    }
  }

  const objectOf = (name: BlobName) => `/${folder}/${blobPath(name)}`;
  return {
    async write(name, bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const init = { method: 'PUT', body: Buffer.from(bytes), headers: { 'x-amz-content-sha256': sha256 } };
      const answer = await ask(objectOf(name), init);
      await drained(answer);
      if (!answer.ok) throw failed(`refused a write with status ${answer.status}`);
    },
    async read(name) {
      const answer = await ask(objectOf(name));
      if (answer.ok) return whole(answer);
      const code = errorCode(await answer.text());
      if (answer.status === 404 && code !== 'NoSuchBucket') return undefined;
      throw failed(`refused a read with status ${answer.status}`);
    },
    async delete(name) {
      const answer = await ask(objectOf(name), { method: 'DELETE' });
      await drained(answer);
      if (!answer.ok && answer.status !== 404) throw failed(`refused a delete with status ${answer.status}`);
    },
    async *list(ns) {
      const prefix = `${folder}/${ns ? `${Buffer.from(ns).toString('hex')}/` : ''}`;
      let token: string | undefined;
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix });
        if (token !== undefined) query.set('continuation-token', token);
        const answer = await ask(`?${query}`);
        const text = await answer.text();
        if (!answer.ok) throw failed(`refused a list with status ${answer.status}`);
        yield* blobsOf(text, `${folder}/`);
        token = textOf(text, 'NextContinuationToken');
      } while (token !== undefined);
    },
  };
}

async function createClient(options: S3Options): Promise<AwsClient> {
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = options;
  try {
    const { AwsClient } = await import('aws4fetch');
    return new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: RETRIES });
  } catch (thrown) {
    throw new AppError('artifact_failed', 'S3 is configured, but the package "aws4fetch" is not installed.', {
      reason: 'missing_package',
      hint: 'Run "npm install aws4fetch" beside Helmdeck, or unset HELMDECK_S3_ENDPOINT.',
      cause: thrown,
    });
  }
}

/** A body that breaks off is as bad as none at all. */
async function whole(answer: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await answer.arrayBuffer());
  } catch (thrown) {
    throw failed('broke off', thrown);
  }
}

/** Reads the rest of an answer, so that its connection can be used again. */
async function drained(answer: Response): Promise<void> {
  await answer.arrayBuffer().catch(() => undefined);
}

function failed(what: string, cause?: unknown): AppError {
  return new AppError('artifact_failed', `The artifact storage ${what}.`, { reason: 's3', cause });
}

// The answers of a list are flat and their names are ours, hexadecimal: no need for a parser of all of XML.
function* blobsOf(xml: string, prefix: string): Generator<FoundBlob> {
  for (const [, contents] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const key = textOf(contents!, 'Key') ?? '';
    const blob = key.startsWith(prefix) ? parseBlobPath(key.slice(prefix.length)) : undefined;
    const modifiedMs = Date.parse(textOf(contents!, 'LastModified') ?? '');
    if (blob && !Number.isNaN(modifiedMs)) yield { ...blob, modifiedMs };
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

const errorCode = (xml: string) => textOf(xml, 'Code');
