import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { definePack } from '../../packages/helmdeck/src/engine/pack/pack.ts';

// The tools that scenarios of the conformance suite call, as packs.

const nothing = z.strictObject({});

export const conformancePacks = [
  definePack({
    name: 'test_simple_text',
    version: 'v1',
    description: 'Answers with a fixed text.',
    input: nothing,
    output: z.object({ text: z.string() }),
    text: ({ text }) => text,
    handler: () => ({ text: 'This is a simple text response for testing.' }),
  }),
  definePack({
    name: 'test_error_handling',
    version: 'v1',
    description: 'Always fails.',
    input: nothing,
    output: z.object({}),
    handler() {
      throw new Error('This tool intentionally returns an error for testing');
    },
  }),
  definePack({
    name: 'test_logging_tool',
    version: 'v1',
    description: 'Writes to the log of the server.',
    input: nothing,
    output: z.object({ done: z.boolean() }),
    handler(ec) {
      ec.logger.info({}, 'A line of the log.');
      return { done: true };
    },
  }),
  definePack({
    name: 'test_tool_with_progress',
    version: 'v1',
    description: 'Reports its progress.',
    input: nothing,
    output: z.object({ done: z.boolean() }),
    async handler(ec) {
      for (const percent of [0, 50, 100]) {
        ec.progress(percent);
        await pause(120); // progress is reported at most ten times a second
      }
      return { done: true };
    },
  }),
];
