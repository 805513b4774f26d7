import { isAbsolute, join } from 'node:path';
import type { Environment } from '../config/config.ts';

/** The folder for state of this user, outside of any data folder; undefined without a home, as in many containers. */
export function userFolder(env: Environment, platform: string = process.platform): string | undefined {
  if (platform === 'win32') return env.LOCALAPPDATA ? join(env.LOCALAPPDATA, 'helmdeck') : undefined;
  // The XDG specification says that a relative path is to be ignored.
  if (env.XDG_STATE_HOME && isAbsolute(env.XDG_STATE_HOME)) return join(env.XDG_STATE_HOME, 'helmdeck');
  if (!env.HOME) return undefined;
  if (platform === 'darwin') return join(env.HOME, 'Library', 'Application Support', 'helmdeck');
  return join(env.HOME, '.local', 'state', 'helmdeck');
}
