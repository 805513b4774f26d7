import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectSecretInTurns } from './detect-in-steps.ts';

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const PROSE = 'The map has a key, the door a lock, and the story goes on from there. ';

describe('looking for credentials in turns', () => {
  it('finds one wherever it stands in a long text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200_000 }), async (at) => {
        const text = PROSE.repeat(3_000);
        const found = await detectSecretInTurns(`${text.slice(0, at)} ${TOKEN} ${text.slice(at)}`);
        expect(found).toBeDefined();
      }),
      { numRuns: 15 },
    );
  });

  it('finds none where there is none, and lets others have their turn', async () => {
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    expect(await detectSecretInTurns(PROSE.repeat(10_000))).toBeUndefined();
    over = true;
    expect(turns, 'however fast the machine is').toBeGreaterThan(20);
  });
});
