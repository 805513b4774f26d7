// Paths of the memory tool and the keys of facts: `/memories/a/b.md` is the fact `memories/a/b.md`.

const ROOT = '/memories';

/** The key of a path; `memories` for the root itself. Throws on paths outside of it. */
export function keyOfPath(path: string): string {
  if (path !== ROOT && !path.startsWith(`${ROOT}/`))
    throw new Error(`Path must start with ${ROOT}, got: ${path}`);
  const segments: string[] = [];
  for (const segment of path.split('/').slice(2)) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) throw new Error(`Path ${path} would escape ${ROOT} directory`);
  }
  return [ROOT.slice(1), ...segments].join('/');
}

export const isRoot = (key: string) => key === ROOT.slice(1);

/** The keys of the directories above a file, without the root. */
export function directoriesAbove(key: string): string[] {
  const segments = key.split('/');
  return segments.slice(2).map((_, index) => segments.slice(0, index + 2).join('/'));
}

interface ListedFile {
  /** Below the directory that is listed. */
  path: string;
  bytes: number;
}

const MAX_DEPTH = 2;

/** The lines of a listing: sizes and paths, two levels deep, without hidden items and `node_modules`. */
export function listingOf(directory: string, files: readonly ListedFile[]): string[] {
  const bytesByItem = new Map<string, number>();
  for (const { path, bytes } of files) {
    const segments = path.split('/');
    if (segments.slice(0, MAX_DEPTH).some(isHidden)) continue;
    for (let depth = 1; depth <= Math.min(MAX_DEPTH, segments.length); depth++) {
      const item = segments.slice(0, depth).join('/') + (depth < segments.length ? '/' : '');
      bytesByItem.set(item, (bytesByItem.get(item) ?? 0) + bytes);
    }
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const items = [...bytesByItem].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${sizeText(total)}\t${directory}`,
    ...items.map(([item, bytes]) => `${sizeText(bytes)}\t${directory}/${item}`),
  ];
}

const isHidden = (segment: string) => segment.startsWith('.') || segment === 'node_modules';

function sizeText(bytes: number): string {
  const unit = bytes === 0 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** unit;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${'BKMG'[unit]}`;
}
