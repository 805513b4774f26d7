import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Blocks a run of the pack until the test opens the gate, so that tests need no sleeps. */
export interface Gate {
  /** The input `gate` of the pack. */
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
  description: 'Waits until its gate is open.',
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

/** Writes the pack to a folder of packs. */
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
