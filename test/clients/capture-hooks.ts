import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODEX_FLAGS } from './agents.ts';
import { check, eventually } from './checks.ts';
import type { Agent } from './conversation.ts';
import { startFakeModel } from './fake-model.ts';
import { helmdeckCommand } from './helmdeck-command.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

// What a person says in a real program waits in the inbox afterwards: at the end of the conversation, before its context
// is compacted, and after the server was away.

interface Capturing {
  /** The settings file with the hooks. */
  file: string;
  /** What the program runs last, and before it compacts a conversation. */
  last: string;
  compacting: string;
  /** Arguments that go on with the newest conversation. */
  goOn(message: string): string[];
  /** Arguments that go on with it and compact it. */
  compact: string[];
}

const codexGoOn = (message: string, ...more: string[]) => [
  ...['exec', 'resume', '--last', ...CODEX_FLAGS, ...more, message],
];
const geminiGoOn = (message: string) => [
  ...['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--resume', 'latest', '-p', message],
];

const CAPTURING: Record<string, Capturing> = {
  'claude-code': {
    file: '.claude/settings.json',
    last: 'SessionEnd',
    compacting: 'PreCompact',
    goOn: (message) => ['-c', '-p', message],
    compact: ['-c', '-p', '/compact'],
  },
  codex: {
    file: '.codex/hooks.json',
    last: 'Stop',
    compacting: 'PreCompact',
    goOn: codexGoOn,
    compact: codexGoOn('Go on.', '-c', 'model_auto_compact_token_limit=1'),
  },
  'gemini-cli': {
    file: '.gemini/settings.json',
    last: 'SessionEnd',
    compacting: 'PreCompress',
    goOn: geminiGoOn,
    compact: geminiGoOn('Go on.'),
  },
};

/** What the model is asked with `--ask`. */
const QUESTION = 'Before you finish: did the user state a preference';

export async function checkCapture({ name, program, home: homeFor, say }: Agent): Promise<void> {
  const { file, last, compacting, goOn, compact } = CAPTURING[name]!;
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const home = await homeFor(model);
  const helmdeck = await helmdeckCommand(home, server);
  const run = async (args: readonly string[]) => {
    const { code, all } = await home.run(program(), args);
    assert.equal(code, 0, all.slice(-2_000));
  };
  /** Leaves only the hook of one event, so that nothing else can send what was said. */
  const onlyOn = (event: string) => {
    const settings = JSON.parse(readFileSync(join(home.dir, file), 'utf8')) as { hooks: object };
    const hooks = Object.entries(settings.hooks).filter(([each]) => each === event);
    assert.equal(hooks.length, 1, `connect installed no hook on ${event}`);
    home.write(file, JSON.stringify({ ...settings, hooks: Object.fromEntries(hooks) }));
  };
  const install = (...more: string[]) => helmdeck('connect', name, '--auto-capture', '--write', ...more);
  try {
    await check(`on ${last} what the person prefers waits in the inbox, in their words`, async () => {
      await install();
      onlyOn(last);
      await run(say('I prefer tabs over spaces in every language.'));
      await waitsInInbox(server, 'I prefer tabs over spaces in every language.');
    });
    await check(`on ${compacting} what was said since waits there, too`, async () => {
      await install();
      onlyOn(compacting);
      await run(goOn('We decided to use Postgres for the billing service.'));
      await run(compact);
      await waitsInInbox(server, 'We decided to use Postgres for the billing service.');
    });
    await check('what was said while Helmdeck was down is sent with the next turn', async () => {
      await install();
      onlyOn(last);
      await server.goDown();
      await run(say('From now on, write commit messages in the imperative.'));
      await server.comeBack();
      await run(goOn('Thanks.'));
      await waitsInInbox(server, 'From now on, write commit messages in the imperative.');
    });
    await check(
      "with --ask the agent is asked once what to store, and its question is nobody's words",
      async () => {
        await install('--ask');
        const before = model.requests.length;
        await run(say('Never deploy on Fridays.'));
        await waitsInInbox(server, 'Never deploy on Fridays.');
        const asked = model.requests.slice(before).filter((request) => request.includes(QUESTION));
        assert.equal(asked.length, 1, `the model was asked ${asked.length} times`);
        const { proposals } = await inboxOf(server);
        assert.deepEqual(
          proposals.map(({ quote }) => quote).filter((quote) => /memory_recall/.test(quote)),
          [],
        );
      },
    );
  } finally {
    await home.remove();
    await model.close();
    await server.close();
  }
}

interface Inbox {
  proposals: { value: string; quote: string; source: { surface: string } }[];
}

export async function inboxOf({ helmdeck }: RecordedServer): Promise<Inbox> {
  const authorization = `Bearer ${await helmdeck.token('ada', { scopes: ['memory:review', 'memory:read'] })}`;
  const answer = await helmdeck.call(undefined, 'GET', '/api/v1/memory/inbox', undefined, { authorization });
  return (await answer.json()) as Inbox;
}

/** Programs do not wait for the hooks at their end. */
export async function waitsInInbox(server: RecordedServer, sentence: string): Promise<void> {
  await eventually(
    async () => (await inboxOf(server)).proposals.filter(({ quote }) => quote === sentence),
    (found) => found.length === 1,
  );
}
