import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A pack that leaves a mark when it begins and goes on when it is let: a test need not be faster than it. */
export interface Gate {
  /** What the pack is given. */
  path: string;
  isReached(): boolean;
  open(): void;
}

const SOURCE = `import { definePack } from 'helmdeck';
import { existsSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
export const gated = definePack({
  name: 'test.gated',
  version: 'v1',
  description: 'Waits until it is let through.',
  input: z.object({ gate: z.string() }),
  output: z.object({ passed: z.boolean() }),
  async handler({ input, signal }) {
    writeFileSync(input.gate + '.reached', '');
    while (!existsSync(input.gate)) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { passed: true };
  },
});
`;

/** Puts the pack into a folder of packs. */
export function writeGatedPack(folder: string): void {
  writeFileSync(join(folder, 'gated.ts'), SOURCE);
}

export function createGate(folder: string, name: string): Gate {
  const path = join(folder, name);
  return {
    path,
    isReached: () => existsSync(`${path}.reached`),
    open: () => writeFileSync(path, ''),
  };
}
