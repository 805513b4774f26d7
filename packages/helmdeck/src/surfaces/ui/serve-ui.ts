import { CONTENT_SECURITY_POLICY } from '../content-security-policy.ts';
import type { UiFile } from './ui-files.ts';

/** Responds to requests for the pages of the UI; undefined for all others. */
export type ServeUi = (request: Request) => Response | undefined;

/** Paths that are never a page, whatever the Accept header says. */
const NOT_PAGES = /^\/(api|docs|assets|\.well-known)(\/|$)/;

export function createServeUi(files: ReadonlyMap<string, UiFile>): ServeUi {
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const { pathname } = new URL(request.url);
    const file = files.get(pathname) ?? (isPage(pathname, request) ? files.get('/index.html') : undefined);
    return file && fileResponse(file, request);
  };
}

/** The routes of the UI are not files: a browser that opens one gets the page, a program gets 404. */
function isPage(pathname: string, request: Request): boolean {
  if (pathname === '/') return true;
  const wantsHtml = request.headers.get('accept')?.includes('text/html') ?? false;
  return wantsHtml && !NOT_PAGES.test(pathname) && !pathname.includes('.');
}

function fileResponse(file: UiFile, request: Request): Response {
  const { bytes, encoding } = encoded(file, request.headers.get('accept-encoding') ?? '');
  const etag = `"${file.hash}-${encoding ?? 'identity'}"`;
  const headers: Record<string, string> = {
    'content-type': file.type,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    etag,
  };
  if (isKnown(etag, request.headers.get('if-none-match')))
    return new Response(null, { status: 304, headers });
  if (encoding !== undefined) headers['content-encoding'] = encoding;
  headers['content-length'] = String(bytes.length);
  return new Response(request.method === 'HEAD' ? null : bytes, { headers });
}

/** The smallest form of a file that the client accepts. */
function encoded(file: UiFile, accepted: string): { bytes: Uint8Array<ArrayBuffer>; encoding?: string } {
  const brotli = accepts(accepted, 'br') ? file.brotli : undefined;
  if (brotli) return { bytes: brotli, encoding: 'br' };
  const gzipped = accepts(accepted, 'gzip') ? file.gzipped() : undefined;
  return gzipped ? { bytes: gzipped, encoding: 'gzip' } : { bytes: file.bytes };
}

function accepts(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name, quality] = part.split(';');
    return name!.trim().toLowerCase() === encoding && !/^\s*q=0(\.0*)?\s*$/.test(quality ?? '');
  });
}

function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  return (ifNoneMatch ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
