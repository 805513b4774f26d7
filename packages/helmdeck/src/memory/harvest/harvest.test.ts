import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../testing/test-server.ts';

interface Proposal {
  id?: string;
  key: string;
  value: string;
  quote: string;
  folded?: true;
}

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

const user = (text: string, at?: string) => ({ role: 'user', text, ...(at ? { at } : {}) });
async function harvest(who: string, body: object, status = 200) {
  const response = await server.call(who, 'POST', '/api/v1/memory/harvest', body);
  expect(response.status).toBe(status);
  return (await response.json()) as { proposals: Proposal[]; seen: number; reason?: string };
}
async function inbox(who: string) {
  const response = await server.call(who, 'GET', '/api/v1/memory/inbox', undefined, {
    authorization: `Bearer ${await server.token(who, { scopes: ['memory:review', 'memory:write', 'memory:read'] })}`,
  });
  expect(response.status).toBe(200);
  return (
    (await response.json()) as {
      proposals: (Proposal & { id: string; reason: string; trust: string; project?: string })[];
    }
  ).proposals;
}
const store = (who: string, fact: object) => server.call(who, 'POST', '/api/v1/memory/store', fact);
const numbered = (count: number, at?: (index: number) => string) =>
  [...'abcdefghijklmnopqrstuvwxyz']
    .slice(0, count)
    .map((letter, index) =>
      user(`The ${letter.repeat(4)} service listens on port ${9000 + index * 7}.`, at?.(index)),
    );

describe('POST /memory/harvest', () => {
  it('puts what a person said into the inbox with its quote, and stores nothing', async () => {
    const turns = [
      user('Thanks! From now on, write commit messages in the imperative.'),
      { role: 'assistant', text: 'Understood.' },
      { role: 'tool', text: 'We decided to use Oracle.' },
    ];
    const answer = await harvest('ann', { turns, project: 'shop' });
    expect(answer.seen).toBe(2);
    expect(await inbox('ann')).toMatchObject([
      {
        id: answer.proposals[0]!.id,
        key: 'preferences/commit-messages/imperative',
        quote: 'From now on, write commit messages in the imperative.',
        trust: 'untrusted_document',
        reason: 'external_source',
      },
    ]);
    const facts = await server.call('ann', 'GET', '/api/v1/memory/facts');
    expect(await facts.json()).toEqual({ facts: [] });
  });

  it('what is about the project of the conversation names it; what is about the person does not', async () => {
    const turns = [user('Our staging database runs on port 5433. I prefer tabs.')];
    await harvest('pia', { turns, project: 'acme/shop' });
    const projects = (await inbox('pia')).map(({ key, project }) => [key.split('/')[0], project]);
    expect(projects.sort()).toEqual([
      ['preferences', undefined],
      ['project', 'acme/shop'],
    ]);
  });

  it('stores nothing in a dry run', async () => {
    const { proposals } = await harvest('ben', { turns: [user('I prefer tabs.')], dry_run: true });
    expect(proposals).toMatchObject([{ key: 'preferences/indentation', rule: 'preference' }]);
    expect(proposals[0]).not.toHaveProperty('id');
    expect(await inbox('ben')).toEqual([]);
  });

  it('folds a repeated conversation into what waits, and proposes nothing that a fact says', async () => {
    const turns = [user('Our staging database runs on port 5433.')];
    const [first] = (await harvest('cleo', { turns })).proposals;
    expect((await harvest('cleo', { turns })).proposals).toEqual([{ ...first, folded: true }]);
    expect(await inbox('cleo')).toHaveLength(1);
    await store('cleo', { key: 'db/staging', value: 'Our staging database runs on port 5433.' });
    expect((await harvest('cleo', { turns })).proposals).toEqual([]);
  });

  it('proposes a correction of a fact that reads almost the same', async () => {
    await store('dora', { key: 'facts/database/staging', value: 'Our staging database runs on port 5433.' });
    const { proposals } = await harvest('dora', { turns: [user('Our staging database runs on port 5434.')] });
    expect(proposals).toHaveLength(1);
  });

  it('does not propose what was declined, nor a credential', async () => {
    const turns = [user('I prefer tabs over spaces.'), user('Remember that the password is hunter2-Xk29!q.')];
    const { proposals } = await harvest('emil', { turns });
    expect(proposals).toHaveLength(1);
    const headers = { authorization: `Bearer ${await server.token('emil', { scopes: ['memory:review'] })}` };
    const path = `/api/v1/memory/inbox/${proposals[0]!.id}/reject`;
    expect((await server.call('emil', 'POST', path, undefined, headers)).status).toBe(200);
    expect((await harvest('emil', { turns })).proposals).toEqual([]);
  });

  it('proposes at most ten statements from an hour of a session, and ten more from the next hour', async () => {
    const turns = numbered(14);
    expect((await harvest('finn', { turns, session_id: 'a' })).proposals).toHaveLength(10);
    const more = [user('I prefer dark themes in every program.')];
    expect((await harvest('finn', { turns: more, session_id: 'a' })).proposals).toEqual([]);
    expect((await harvest('finn', { turns: more, session_id: 'b' })).proposals).toHaveLength(1);
    const at = (index: number) => `2026-01-0${index < 12 ? 1 : 2}T10:00:00Z`;
    const twoDays = numbered(24, at);
    expect((await harvest('gwen', { turns: twoDays, dry_run: true })).proposals).toHaveLength(20);
  });

  it('needs no right to write, and an open gate does not store by itself', async () => {
    const open = await testServer({ env: { HELMDECK_GATE: 'open' } });
    try {
      const headers = {
        authorization: `Bearer ${await open.token('hal', { scopes: ['memory:propose', 'memory:read'] })}`,
      };
      const body = { turns: [user('I prefer tabs over spaces.')] };
      const response = await open.call('hal', 'POST', '/api/v1/memory/harvest', body, headers);
      expect(await response.json()).toMatchObject({ proposals: [{ key: 'preferences/indentation' }] });
      const facts = await open.call('hal', 'GET', '/api/v1/memory/facts');
      expect(await facts.json()).toEqual({ facts: [] });
    } finally {
      await open.close();
    }
  });

  it.each([
    [{}, 'bad_type'],
    [{ turns: [{ role: 'user' }] }, 'bad_type'],
    [{ turns: [{ role: 'user', text: 'x', at: 'yesterday' }] }, 'bad_type'],
    [{ turns: [], project: '' }, 'bad_type'],
    [{ turns: [], dry_run: 'yes' }, 'bad_type'],
    [{ turns: [], caller: 'bob' }, 'unknown_field'],
    [{ turns: [{ role: 'user', text: 'x', name: 'y' }] }, 'unknown_field'],
  ])('refuses %j', async (body, reason) => {
    expect(await harvest('ivy', body, 400)).toMatchObject({ error: 'invalid_input', reason });
  });
});
