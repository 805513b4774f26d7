import { describe, it } from 'vitest';
import { batchCases } from './store-cases/batches.ts';
import { deletionCases } from './store-cases/deletions.ts';
import { expiryCases } from './store-cases/expiry.ts';
import type { StoreHarness, TestCase } from './store-cases/harness.ts';
import { isolationCases } from './store-cases/isolation.ts';
import { modelCases } from './store-cases/model.ts';
import { namespaceCases } from './store-cases/namespaces.ts';
import { raceCases } from './store-cases/races.ts';
import { readCases } from './store-cases/reads.ts';
import { restartCases } from './store-cases/restarts.ts';
import { sharingCases } from './store-cases/sharing.ts';
import { tombstoneCases } from './store-cases/tombstones.ts';

export type { StoreHarness } from './store-cases/harness.ts';

/** Generous, because real servers are slow under 200 parallel writes on a busy machine, and the contract does not test speed. */
const CASE_TIMEOUT_MS = 240_000;

/** Registers vitest tests for everything that Helmdeck requires of a back-end; `open` returns an empty store for each. */
export function storeContract(name: string, open: () => Promise<StoreHarness>): void {
  const test: TestCase = (title, body) => {
    it(
      title,
      async ({ skip }) => {
        const harness = await open();
        try {
          await body(harness, skip);
        } finally {
          await harness.close();
        }
      },
      CASE_TIMEOUT_MS,
    );
  };
  describe(`store contract: ${name}`, () => {
    describe('reads', () => readCases(test));
    describe('batches', () => batchCases(test));
    describe('deletions', () => deletionCases(test));
    describe('tombstones', () => tombstoneCases(test));
    describe('expiry and usage', () => expiryCases(test));
    describe('namespaces', () => namespaceCases(test));
    describe('isolation', () => isolationCases(test));
    describe('races', () => raceCases(test));
    describe('restarts', () => restartCases(test));
    describe('sharing', () => sharingCases(test));
    describe('model', () => modelCases(test));
  });
}
