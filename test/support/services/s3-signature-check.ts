import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that checks AWS version 4 signatures, which s3rver does not, and forwards valid requests only. */
export interface SignatureCheck {
  endpoint: string;
  stop(): Promise<void>;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);
const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Implements "Signature Version 4 for API requests" of AWS. */
function isSigned(incoming: IncomingMessage, body: Buffer, secretKey: string): boolean {
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      incoming.headers.authorization ?? '',
    );
  if (!parsed) return false;
  const [, day, region, names, signature] = parsed as unknown as [string, string, string, string, string];
  const url = new URL(incoming.url!, 'http://x');
  const payload = String(incoming.headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return false;
  const canonical = [
    incoming.method,
    url.pathname
      .split('/')
      .map((part) => strict(decodeURIComponent(part)))
      .join('/'),
    [...url.searchParams]
      .sort(byName)
      .map(([name, value]) => `${strict(name)}=${strict(value)}`)
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(incoming.headers[name]).trim()}`),
    '',
    names,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', incoming.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce<Buffer>(hmac, hmac(hmac(`AWS4${secretKey}`, day), region));
  return hmac(key, text).toString('hex') === signature;
}

export async function startSignatureCheck(behind: string, secretKey: string): Promise<SignatureCheck> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (!isSigned(incoming, body, secretKey)) {
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    const headers = { ...incoming.headers, 'content-length': String(body.length) };
    const onward = request(new URL(incoming.url!, behind), { method: incoming.method, headers }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    onward.once('error', () => response.destroy());
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
