import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'ui/src/**/*.test.ts',
      'integrations/*/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // The longest take half a minute; a machine that is busy or slow may need several times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // Most files wait for other processes and for the disk: one at a time would leave a core idle.
    maxWorkers: 2,
    // What is waited for may take long on a busy machine; what never comes fails all the same.
    expect: { poll: { timeout: 20_000 } },
  },
});
