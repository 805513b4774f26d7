import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the UI as it is sent. */
export interface UiFile {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The same, compressed; only where that makes it smaller. */
  gzipped(): Uint8Array<ArrayBuffer> | undefined;
  /** Its name changes with its content, so it may be kept for ever. */
  immutable: boolean;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The built pages by their path, read once: what is not in this list cannot be asked for.
 * Undefined where nothing was built, as in a run from the sources.
 */
export function readUiFiles(folder: string): ReadonlyMap<string, UiFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = new Map<string, UiFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.replaceAll(sep, '/')}`;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    files.set(path, { type, bytes, gzipped: compressOnce(bytes), immutable: path.startsWith('/assets/') });
  }
  return files;
}

/** Most servers are never visited by a browser, so nothing is compressed before it is asked for. */
function compressOnce(bytes: Uint8Array<ArrayBuffer>): UiFile['gzipped'] {
  let known: { smaller: Uint8Array<ArrayBuffer> | undefined } | undefined;
  return () => {
    if (!known) {
      const compressed = new Uint8Array(gzipSync(bytes));
      known = { smaller: compressed.length < bytes.length ? compressed : undefined };
    }
    return known.smaller;
  };
}
