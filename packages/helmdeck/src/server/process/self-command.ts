import { resolve, sep } from 'node:path';
import type { Launch } from '../../surfaces/cli/deps.ts';

/** The command that starts this installation, for other programs. An absolute path, because desktop programs do not see the PATH of a shell. */
export function selfCommand(bin: string = resolve(import.meta.dirname, '../../../bin/helmdeck.js')): Launch {
  // The cache of npx may be cleared at any time.
  const isTemporary = bin.includes(`${sep}_npx${sep}`);
  return { command: process.execPath, args: [bin], ...(isTemporary ? { isTemporary } : {}) };
}
