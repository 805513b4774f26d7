import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the built UI. */
export interface UiFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Tells one content from another. */
  hash: string;
  /** The bytes as the build compressed them, if that made them smaller. */
  brotli: Uint8Array<ArrayBuffer> | undefined;
  /** The gzipped bytes, if they are smaller. */
  gzipped(): Uint8Array<ArrayBuffer> | undefined;
  /** Its name contains a hash of its content, so it may be cached for ever. */
  immutable: boolean;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built UI into memory, by path: no request can reach any other file.
 * Undefined if nothing was built, as when running from the sources.
 */
export function readUiFiles(folder: string): ReadonlyMap<string, UiFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = new Map<string, UiFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.replaceAll(sep, '/')}`;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const compressed = join(folder, `${name}.br`);
    files.set(path, {
      type,
      bytes,
      hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      brotli: existsSync(compressed) ? new Uint8Array(readFileSync(compressed)) : undefined,
      gzipped: compressOnce(bytes),
      immutable: path.startsWith('/assets/'),
    });
  }
  return files;
}

/** Compresses on first use: most servers are never visited by a browser. */
function compressOnce(bytes: Uint8Array<ArrayBuffer>): UiFile['gzipped'] {
  let cached: { smaller: Uint8Array<ArrayBuffer> | undefined } | undefined;
  return () => {
    if (!cached) {
      const compressed = new Uint8Array(gzipSync(bytes));
      cached = { smaller: compressed.length < bytes.length ? compressed : undefined };
    }
    return cached.smaller;
  };
}
