const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `18.4 MB`; decimal units, as disks are sold. */
export function byteSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}
