import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, definePack } from 'helmdeck';
import { z } from 'zod';

// Sample packs of a team for its releases. Loaded by a server from HELMDECK_PACKS_DIR, not by the tests.

/** Waits for a file next to the packs, so that a test decides when a run continues. */
async function waitFor(gate: string | undefined, signal: AbortSignal): Promise<void> {
  while (gate !== undefined && !existsSync(join(import.meta.dirname, 'gates', gate)))
    await sleep(25, undefined, { signal });
}
const gate = z
  .string()
  .regex(/^[a-z0-9-]+$/)
  .optional()
  .describe('Waits until this gate is open');

export const notes = definePack({
  name: 'release.write_notes',
  version: 'v1',
  description: 'Write release notes in Markdown from merged work, for one audience.',
  input: z.strictObject({
    source_content: z.string().min(1).max(20_000).describe('What was merged'),
    persona: z.enum(['technical', 'friendly', 'executive']).describe('Who speaks'),
    audience: z.string().max(200).optional().describe('Who reads it'),
    title: z.string().max(70).optional().describe('Made up when absent'),
    strict: z.boolean().optional().describe('Complains about long titles'),
  }),
  output: z.object({
    markdown: z.string(),
    title: z.string(),
    persona_used: z.string(),
    findings: z.array(z.object({ code: z.string(), severity: z.string() })).optional(),
  }),
  metadata: {
    accepts: ['merged work'],
    produces: ['release_notes', 'markdown'],
    intent_keywords: ['write release notes', 'release notes', 'announce a release'],
    typical_use: 'A release is out and people should know what changed.',
    limitations: ['Checks no facts.'],
  },
  memory: { cache: { ttlSeconds: 86_400 } },
  async handler({ input, signal }) {
    await sleep(4, undefined, { signal });
    const title = input.title ?? 'Every deploy is signed now';
    const markdown = `# ${title}\n\n${input.source_content}\n\n- Written for **${input.audience ?? 'everybody'}**\n- Spoken as \`${input.persona}\``;
    const findings =
      title.length > 20 && input.strict ? [{ code: 'title_long', severity: 'warning' }] : undefined;
    return { markdown, title, persona_used: input.persona, ...(findings ? { findings } : {}) };
  },
});

export const collect = definePack({
  name: 'release.collect_changes',
  version: 'v1',
  description: 'List what was merged since the last release.',
  input: z.strictObject({
    since: z.string().default('last tag').describe('A tag or a date'),
    limit: z.int().min(1).max(100).default(20).describe('How many at most'),
    paths: z.array(z.string()).optional().describe('Only changes below these folders'),
    labels: z.record(z.string(), z.string()).optional().describe('Labels that a change must have'),
    author: z
      .strictObject({ name: z.string().describe('As in the log'), bots: z.boolean().default(false) })
      .optional()
      .describe('Only changes of this person'),
    gate,
  }),
  output: z.object({ count: z.int(), text: z.string(), asked: z.looseObject({}) }),
  metadata: { produces: ['merged work'], intent_keywords: ['what was merged', 'collect changes'] },
  async handler({ input, signal, progress }) {
    progress(40, 'reading the log');
    await waitFor(input.gate, signal);
    return { count: 12, text: 'Signed deploys, a faster build and twelve fixes.', asked: { ...input } };
  },
});

export const check = definePack({
  name: 'release.check_links',
  version: 'v1',
  description: 'Check that every link of a text answers.',
  input: z.strictObject({ text: z.string().min(1).describe('What to check'), gate }),
  output: z.object({ checked: z.int() }),
  async handler({ input, signal }) {
    if (!existsSync(join(import.meta.dirname, 'gates', 'links-answer')))
      throw new AppError('handler_failed', 'One of three links does not answer.', {
        hint: 'Correct the link to the snapshot, then resume.',
      });
    await waitFor(input.gate, signal);
    return { checked: 3 };
  },
});

export const rehearse = definePack({
  name: 'release.rehearse',
  version: 'v1',
  description: 'Play a whole release through on a copy. Takes minutes.',
  input: z.strictObject({
    format: z.enum(['full', 'quick']).default('quick').describe('How much of it'),
    gate,
  }),
  output: z.object({ summary: z.string() }),
  async: true,
  async handler({ input, signal, progress }) {
    progress(35, 'building the copy');
    await waitFor(input.gate, signal);
    return { summary: `The ${input.format} rehearsal went through without a complaint, in three steps.` };
  },
});
