import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a Debian package. Returns the reason if it fails. */
export function installPackage(name: string): string | undefined {
  if (process.getuid?.() !== 0) return `installing ${name} requires root`;
  if (!existsSync('/usr/bin/apt-get')) return `there is no apt-get to install ${name} with`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Test files run in parallel: the second one waits for the lock.
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=300'];
  const install = () =>
    spawnSync('apt-get', [...waitForLock, 'install', '-y', '--no-install-recommends', name], { env });
  if (install().status === 0) return undefined;
  spawnSync('apt-get', [...waitForLock, 'update'], { env });
  return install().status === 0 ? undefined : `apt-get could not install ${name}`;
}
