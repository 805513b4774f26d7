import { resolve, sep } from 'node:path';
import type { Launch } from '../../surfaces/cli/deps.ts';
import { VERSION } from './version.ts';

/** How other programs start this Helmdeck. By its place on the disk, since programs with windows know nothing of a shell's PATH. */
export function ownLaunch(): Launch {
  const script = resolve(import.meta.dirname, '../../../bin/helmdeck.js');
  // What npx keeps may be gone tomorrow.
  if (script.includes(`${sep}_npx${sep}`)) return { command: 'npx', args: ['-y', `helmdeck@${VERSION}`] };
  return { command: process.execPath, args: [script] };
}
