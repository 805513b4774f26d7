import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ChildServer, startChild } from './child-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'helmdeck-kill-decision-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ME = 'ada';
const AT_ONCE = 40;
const MAX_ROUNDS = 20;
const start = () => startChild({ HELMDECK_DB: join(folder, 'helmdeck.db'), HELMDECK_DATA_DIR: folder });

interface Decided {
  id: string;
  key: string;
  verdict: 'accept' | 'reject';
}

/** Proposals that no two of which say the same. */
async function propose(server: ChildServer, round: number): Promise<Decided[]> {
  const facts = Array.from({ length: AT_ONCE }, (_, at) => {
    const n = round * AT_ONCE + at + 1;
    return { key: `k${n}`, value: `${(n * 2_654_435_761).toString(36)} ${n * 40_503}`, propose: true };
  });
  const { json } = await server.call(ME, 'POST', '/api/v1/memory/store/batch', { facts });
  const results = json.results as { proposal_id: string; key: string }[];
  return results.map(({ proposal_id: id, key }, at) => ({
    id,
    key,
    verdict: at % 4 === 0 ? 'reject' : 'accept',
  }));
}

const decide = (server: ChildServer, { id, verdict }: Decided) =>
  server.call(ME, 'POST', `/api/v1/memory/inbox/${id}/${verdict}`);
const versionOf = async (server: ChildServer, { key }: Decided) =>
  (await server.call(ME, 'GET', `/api/v1/memory/facts/${key}`)).json.version;
const waiting = async (server: ChildServer) => {
  const { json } = await server.call(ME, 'GET', '/api/v1/memory/inbox?limit=200');
  return (json.proposals as { id: string }[]).map(({ id }) => id);
};

it('after a kill -9 between a decision and its answer the decision holds once, and the retry gets its answer', async () => {
  let server = await start();
  try {
    let unanswered = 0;
    for (let round = 0; unanswered === 0 && round < MAX_ROUNDS; round++) {
      const decisions = await propose(server, round);
      const answers = new Map<string, object>();
      const sent = decisions.map(async (decision) => {
        const { status, json } = await decide(server, decision);
        expect(status).toBe(200);
        answers.set(decision.id, json);
        server.child.kill('SIGKILL'); // at the first answer; the others are on their way
      });
      await Promise.allSettled(sent);
      await server.kill();
      server = await start();
      const open = await waiting(server);
      for (const decision of decisions) {
        const { id, verdict } = decision;
        const isDone = !open.includes(id);
        expect(await versionOf(server, decision)).toBe(isDone && verdict === 'accept' ? 1 : undefined);
        if (answers.has(id)) expect(isDone, 'an answered decision survives').toBe(true);
        else if (isDone) unanswered++;
        const retried = await decide(server, decision);
        expect(retried.status).toBe(200);
        if (answers.has(id)) expect(retried.json).toEqual(answers.get(id));
        expect(await versionOf(server, decision)).toBe(verdict === 'accept' ? 1 : undefined);
        const otherwise = verdict === 'accept' ? 'reject' : 'accept';
        expect((await decide(server, { ...decision, verdict: otherwise })).json.reason).toBe(
          'already_decided',
        );
      }
      expect(await waiting(server)).toEqual([]);
    }
    expect(unanswered, 'a decision was committed without being answered').toBeGreaterThan(0);
  } finally {
    await server.kill();
  }
});
