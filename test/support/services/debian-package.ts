import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a package of Debian's; says why it could not, where it could not. */
export function installPackage(name: string): string | undefined {
  if (process.getuid?.() !== 0) return `installing ${name} takes root`;
  if (!existsSync('/usr/bin/apt-get')) return `there is no apt-get to install ${name} with`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Test files run side by side: the second one waits for the first.
  const patient = ['-o', 'DPkg::Lock::Timeout=300'];
  const install = () =>
    spawnSync('apt-get', [...patient, 'install', '-y', '--no-install-recommends', name], { env });
  if (install().status === 0) return undefined;
  spawnSync('apt-get', [...patient, 'update'], { env });
  return install().status === 0 ? undefined : `apt-get could not install ${name}`;
}
