import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of an S3 server that s3rver leaves out: it lets only requests pass whose version 4 signature is right. */
export interface SignatureCheck {
  endpoint: string;
  stop(): Promise<void>;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);
const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** As AWS describes it in "Signature Version 4 for API requests". */
function isSigned(asked: IncomingMessage, body: Buffer, secretKey: string): boolean {
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      asked.headers.authorization ?? '',
    );
  if (!parsed) return false;
  const [, day, region, names, signature] = parsed as unknown as [string, string, string, string, string];
  const url = new URL(asked.url!, 'http://x');
  const payload = String(asked.headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return false;
  const canonical = [
    asked.method,
    url.pathname
      .split('/')
      .map((part) => strict(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .sort(byName)
      .map(([name, value]) => `${strict(name)}=${strict(value)}`)
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(asked.headers[name]).trim()}`),
    '',
    names,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', asked.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce<Buffer>(hmac, hmac(hmac(`AWS4${secretKey}`, day), region));
  return hmac(key, text).toString('hex') === signature;
}

export async function startSignatureCheck(behind: string, secretKey: string): Promise<SignatureCheck> {
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (!isSigned(asked, body, secretKey)) {
      answer.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    const headers = { ...asked.headers, 'content-length': String(body.length) };
    const onward = request(new URL(asked.url!, behind), { method: asked.method, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
