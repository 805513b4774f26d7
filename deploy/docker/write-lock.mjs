// Writes package.json and package-lock.json of the image: the packed helmdeck and the clients of its back-ends, with the
// versions and hashes that the repository's lock file has, so that "npm ci" installs and checks exactly what was tested.
// Usage: node write-lock.mjs <folder> <tarball in it> <client>…
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, tarball, ...clients] = process.argv.slice(2);
const readJson = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const { packages } = readJson('package-lock.json');
const WORKSPACE = 'packages/helmdeck';
const INSTALLED = 'node_modules/helmdeck';

/** Where the lock file has a package that the one at `from` needs; the nearest node_modules wins, as in Node. */
function locate(name, from) {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    const candidate = `${path}${path === '' ? '' : '/'}node_modules/${name}`;
    if (packages[candidate]) return candidate;
    if (path === '') throw new Error(`package-lock.json has no ${name}, which ${from || 'the image'} needs`);
  }
}

function needs({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers];
}

const helmdeck = readJson(`${WORKSPACE}/package.json`);
const locked = {};
const waiting = [
  ...needs(helmdeck).map((name) => locate(name, WORKSPACE)),
  ...clients.map((name) => locate(name, '')),
];
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  const target = path.replace(`${WORKSPACE}/`, `${INSTALLED}/`);
  if (locked[target]) continue;
  const { dev, devOptional, peer, ...entry } = packages[path];
  if (!entry.integrity) throw new Error(`package-lock.json has no hash of ${path}`);
  locked[target] = entry;
  waiting.push(...needs(entry).map((name) => locate(name, path)));
}

const bytes = readFileSync(join(folder, tarball));
const { version, dependencies, peerDependencies, peerDependenciesMeta, bin, engines } = helmdeck;
locked[INSTALLED] = {
  version,
  resolved: `file:${tarball}`,
  integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  dependencies,
  peerDependencies,
  peerDependenciesMeta,
  bin,
  engines,
};
const root = {
  private: true,
  dependencies: {
    helmdeck: `file:${tarball}`,
    ...Object.fromEntries(clients.map((name) => [name, packages[locate(name, '')].version])),
  },
};
const sorted = Object.fromEntries(Object.entries(locked).sort(([a], [b]) => (a < b ? -1 : 1)));
const lock = { lockfileVersion: 3, requires: true, packages: { '': root, ...sorted } };
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(root, null, 2)}\n`);
writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
