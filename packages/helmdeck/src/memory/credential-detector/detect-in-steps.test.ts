import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectCredentialInSteps } from './detect-in-steps.ts';

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const PROSE = 'The map has a key, the door a lock, and the story goes on from there. ';

describe('detectCredentialInSteps', () => {
  it('detects a credential at any offset of a long text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200_000 }), async (at) => {
        const text = PROSE.repeat(3_000);
        const found = await detectCredentialInSteps(`${text.slice(0, at)} ${TOKEN} ${text.slice(at)}`);
        expect(found).toBeDefined();
      }),
      { numRuns: 15 },
    );
  });

  it('finds nothing in a long text without credentials, and yields to the event loop while scanning', async () => {
    let ticks = 0;
    let isDone = false;
    const count = () => {
      ticks++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await detectCredentialInSteps(PROSE.repeat(10_000))).toBeUndefined();
    isDone = true;
    expect(ticks, 'independent of the speed of the machine').toBeGreaterThan(20);
  });
});
