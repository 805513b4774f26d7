import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { powerCutRounds } from './power-cut-rounds.ts';
import { compileDiskShim } from './shimmed-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-power-'));
const library = compileDiskShim(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!library)('a power cut (skipped without a C compiler)', () => {
  it('after power cuts, with and without a failed sync before, no acknowledged write is lost and the file is intact', async () => {
    const result = await powerCutRounds(library!, folder, 8);
    expect(result.problems).toEqual([]);
    expect(result.failedSyncs).toBeGreaterThanOrEqual(4);
    expect(result.acknowledged).toBeGreaterThan(100);
  });
});
