import { resolve, sep } from 'node:path';
import type { Launch } from '../../surfaces/cli/deps.ts';
import { VERSION } from './version.ts';

/** The command that starts this installation, for other programs. An absolute path, because desktop programs do not see the PATH of a shell. */
export function selfCommand(): Launch {
  const script = resolve(import.meta.dirname, '../../../bin/helmdeck.js');
  // The cache of npx may be cleared at any time.
  if (script.includes(`${sep}_npx${sep}`)) return { command: 'npx', args: ['-y', `helmdeck@${VERSION}`] };
  return { command: process.execPath, args: [script] };
}
