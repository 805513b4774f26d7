import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openHelmdeck } from './helmdeck.ts';
import { type Installed, installPeer, removeInstalled } from './install-peer.ts';
import { openMastra } from './mastra.ts';
import { openMem0 } from './mem0.ts';
import type { OpenPeer } from './peer.ts';
import { openQmd } from './qmd.ts';
import { openServerMemory } from './server-memory.ts';

export interface Peer {
  name: string;
  version: string;
  install(): Installed;
  open: OpenPeer;
}

const PACKAGE = resolve(import.meta.dirname, '../../packages/helmdeck');
const { version: OWN_VERSION } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  version: string;
};

/** Helmdeck is installed from the tarball of this tree, as a person would from the registry. */
function installHelmdeck(): Installed {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', tmpdir()], {
      cwd: PACKAGE,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { filename: string }[];
  // Packed again each time: the tarball changes more often than its version.
  removeInstalled(`helmdeck@${OWN_VERSION}`);
  return installPeer(`helmdeck@${OWN_VERSION}`, [join(tmpdir(), packed!.filename)]);
}

const published = (name: string, version: string, open: OpenPeer, besides: string[] = []): Peer => ({
  name,
  version,
  open,
  install: () => installPeer(`${name}@${version}`, [`${name}@${version}`, ...besides]),
});

export const PEERS: readonly Peer[] = [
  { name: 'helmdeck', version: OWN_VERSION, open: openHelmdeck, install: installHelmdeck },
  published('@modelcontextprotocol/server-memory', '2026.8.31', openServerMemory),
  // It asks for better-sqlite3 12, whose binary is downloaded from elsewhere or compiled; 13 brings its own.
  published('mem0ai', '3.3.1', openMem0, ['better-sqlite3@13.2.0']),
  published('@tobilu/qmd', '2.8.3', openQmd),
  published('@mastra/memory', '1.31.0', openMastra, ['@mastra/libsql@1.23.1', '@mastra/core@1.71.0']),
];
