import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';

export interface Certificate {
  cert: string;
  key: string;
  /** Where the certificate is, for programs that read NODE_EXTRA_CA_CERTS. */
  file: string;
}

/** Makes a self-signed certificate for `localhost` in a folder; `undefined` without openssl. */
export function makeCertificate(folder: string): Certificate | undefined {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', file],
  ]);
  if (made.status === 0) return { key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file };
  if (process.env.CI === 'true') throw new Error('openssl is missing');
  console.warn('Tests with TLS are skipped: there is no openssl to create a certificate');
  return undefined;
}

/**
 * A proxy that ends TLS. As most do by default, it asks the server by its own address, and appends the client to
 * X-Forwarded-For.
 */
export function createTlsProxy(certificate: Certificate, backend: () => string): Server {
  return createServer({ cert: certificate.cert, key: certificate.key }, (incoming, outgoing) => {
    const to = new URL(backend());
    const client = incoming.socket.remoteAddress!.replace('::ffff:', '');
    const claimed = incoming.headers['x-forwarded-for'];
    const headers = {
      ...incoming.headers,
      host: to.host,
      'x-forwarded-for': claimed === undefined ? client : `${claimed}, ${client}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': incoming.headers.host,
    };
    const { method, url: path } = incoming;
    const passed = httpRequest({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
}
