import { sep } from 'node:path';

/** How to install a package that Helmdeck can do without. `from`: where Helmdeck is installed. */
export function installHint(name: string, from = import.meta.dirname): string {
  // npx makes a folder of its own for exactly the packages it is given: one that is installed elsewhere is not found.
  return from.includes(`${sep}_npx${sep}`)
    ? `npx installs only the packages it is given: npx --package <helmdeck> --package ${name} helmdeck …`
    : `Install it beside Helmdeck: npm install ${name} (with --global if Helmdeck was installed so).`;
}
