import { defineConfig } from 'vitest/config';
import { usePrivateFolder } from './test/setup/private-folder.ts';

// Before vitest itself writes to the home and the temporary folder.
usePrivateFolder();

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'ui/src/**/*.test.ts',
      'integrations/*/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    setupFiles: 'test/setup/contain-file.ts',
    // The longest tests take half a minute; at a load of 40 on two cores they took over four.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    // Most files wait for child processes and the disk: a single worker would leave a core idle.
    maxWorkers: 2,
    // Conditions may take long on a busy machine; those that never hold still fail.
    expect: { poll: { timeout: 60_000 } },
  },
});
