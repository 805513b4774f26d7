import { join } from 'node:path';
import type { Machine } from '../deps.ts';

/** The folder in which desktop programs store their settings. */
export function applicationDir({ platform, homeDir, environment }: Machine): string {
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA ?? join(homeDir, 'AppData', 'Roaming');
  return environment.XDG_CONFIG_HOME ?? join(homeDir, '.config');
}
