import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import type { BrowserFixture } from './browser-fixture.ts';

const SAMPLES = resolve(import.meta.dirname, 'sample-packs');
const DAY_MS = 86_400_000;

/** Copies the sample packs to a folder for one server; gates are files in it. */
export function makePacksFolder(dir: string): Gates {
  const folder = join(dir, 'packs');
  cpSync(SAMPLES, folder, { recursive: true });
  const gates = join(folder, 'gates');
  mkdirSync(gates);
  return {
    folder,
    open: (gate) => writeFileSync(join(gates, gate), ''),
    shut: (gate) => rmSync(join(gates, gate), { force: true }),
  };
}

export interface Gates {
  folder: string;
  open(gate: string): void;
  shut(gate: string): void;
}

/** A pipeline that can be blocked at its first step and made to fail at its second. */
export const RELEASE_PIPELINE = {
  name: 'Release notes',
  description: 'Collect what was merged, check its links, write the notes and remember them.',
  inputs: {
    audience: { type: 'string', description: 'who reads them' },
    gate: { type: 'string', description: 'waits until this gate is open' },
  },
  steps: [
    { id: 'collect', pack: 'release.collect_changes', input: { gate: '${{ inputs.gate }}' } },
    { id: 'links', pack: 'release.check_links', input: { text: '${{ steps.collect.output.text }}' } },
    {
      id: 'write',
      pack: 'release.write_notes',
      input: {
        source_content: '${{ steps.collect.output.text }}',
        persona: 'technical',
        audience: '${{ inputs.audience }}',
      },
    },
    {
      id: 'keep',
      pack: 'artifact.put',
      input: { content: '${{ steps.write.output.markdown }}', filename: 'release-notes.md' },
    },
    {
      id: 'remember',
      pack: 'helmdeck.memory_store',
      input: { key: 'releases/latest', value: '${{ steps.write.output.title }}' },
    },
  ],
  metadata: { intent_keywords: ['publish the release'] },
};

/** Thirty days of typical runs for screenshots, written before the server starts. */
export async function fillRunHistory(env: Record<string, string>): Promise<void> {
  const endMs = Date.now();
  let nowMs = endMs - 30 * DAY_MS;
  const server = await testServer({
    env: { ...env, HELMDECK_JWT_SECRET: 'j'.repeat(40) },
    now: () => (nowMs += 9),
  });
  const run = (pack: string, input: object) => server.call('admin', 'POST', `/api/v1/packs/${pack}`, input);
  for (let day = 0; nowMs < endMs - DAY_MS / 24; day++) {
    const weekday = new Date(nowMs).getUTCDay() % 6 !== 0;
    const times = (weekday ? 9 : 2) + ((day * 7) % 5);
    for (let n = 0; n < times; n++) {
      nowMs += 60_000;
      const persona = n % 7 === 3 ? 'friendly' : 'technical';
      const audience = n % 5 === 4 ? 'everybody' : 'platform engineers';
      // Every other input of a day repeats, so that there are cache hits.
      const source_content = n % 2 === 0 ? `Work of day ${day}` : `Work of day ${day}, part ${n}`;
      await run('release.write_notes', { source_content, persona, audience, strict: n % 9 === 0 });
      if (n % 4 === 1) await run('release.collect_changes', {});
      if (n === 6 || (day % 9 === 4 && n < 4)) await run('release.check_links', { text: 'notes' });
      if (n % 8 === 5) await run('artifact.put', { content: 'minutes', kind: 'report' });
    }
    nowMs += DAY_MS - times * 60_000;
  }
  await server.close();
}

/** Runs of today, one of them still running. */
export async function runSamples({ api }: BrowserFixture, gates: Gates): Promise<string> {
  const pipeline = (await (await api('POST', '/pipelines', RELEASE_PIPELINE)).json()) as { id: string };
  const start = (inputs: object) => api('POST', `/pipelines/${pipeline.id}/run`, { inputs });
  gates.open('links-answer');
  await start({ audience: 'platform engineers' });
  await start({ audience: 'platform engineers', gate: 'tomorrow' });
  return pipeline.id;
}
