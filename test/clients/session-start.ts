import assert from 'node:assert/strict';
import { check } from './checks.ts';
import type { ClientHome } from './client-home.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';
import { factsIn, helmdeckCommand, storeManyFacts } from './helmdeck-command.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

const MAX_BYTES = 4_000;
const CONTEXT_LINE = 'Call `memory_recall` when the task needs more';
/** Of a program without hooks, whose lines say to recall at the start. */
const START_LINE = 'before the first answer, call `memory_recall` twice';

export interface HookedProgram {
  /** Its name for `helmdeck connect`. */
  name: string;
  program: string;
  home(model: FakeModel): ClientHome | Promise<ClientHome>;
  prepare?(home: ClientHome, model: FakeModel): Promise<void>;
  /** Arguments that send one message in a new conversation. */
  say(message: string): string[];
  /** Whether it also has a context file for the model. */
  hasContextFile?: boolean;
}

/** Checks the first request to the model after `helmdeck connect --auto-recall`. */
export async function checkSessionStart(about: HookedProgram): Promise<void> {
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const home = await about.home(model);
  try {
    await storeManyFacts(server);
    await recalls(about, home, server, model);
  } finally {
    await home.remove();
    await model.close();
    await server.close();
  }
}

async function recalls(
  { name, program, say, hasContextFile = false }: HookedProgram,
  home: ClientHome,
  server: RecordedServer,
  model: FakeModel,
): Promise<void> {
  const helmdeck = await helmdeckCommand(home, server);
  let conversations = 0;
  const firstRequest = async () => {
    const message = `hello from conversation ${++conversations}`;
    const { all } = await home.run(program, say(message));
    const bodies = model.requests.filter((body) => body.includes(message));
    assert.notEqual(bodies.length, 0, `the model got no request: ${all.slice(-2_000)}`);
    return bodies.join('\n');
  };
  await check('after connect, a conversation starts without facts', async () => {
    await helmdeck('connect', name, '--write');
    assert.deepEqual(factsIn(await firstRequest()), []);
  });
  await check('connect --auto-recall gives the model facts within the size limit', async () => {
    await helmdeck('connect', name, '--auto-recall', '--write');
    const request = await firstRequest();
    assert.ok(request.includes('Notes from Helmdeck'), 'the notes did not reach the model');
    const facts = [...new Set(factsIn(request))];
    assert.ok(facts.length >= 5, `only ${facts.length} facts reached the model`);
    assert.ok(Buffer.byteLength(facts.join('\n')) <= MAX_BYTES, `${facts.join('\n').length} characters`);
    assert.equal(request.includes(CONTEXT_LINE), hasContextFile, 'the lines of its context file');
    assert.ok(!request.includes('Bob likes'), "another caller's fact reached the model");
  });
  await check('while Helmdeck is down, a conversation starts without facts', async () => {
    await server.goDown();
    assert.deepEqual(factsIn(await firstRequest()), []);
    await server.comeBack();
  });
  await check('after connect --remove, a conversation starts without facts', async () => {
    await helmdeck('connect', name, '--remove', '--write');
    assert.deepEqual(factsIn(await firstRequest()), []);
  });
}

/** Checks that the lines of `connect --auto-recall` reach the model of a program that has no hooks for it. */
export async function checkContextLines({
  name,
  program,
  say,
  prepare,
  ...about
}: HookedProgram): Promise<void> {
  const server = await startRecordedServer();
  const model = await startFakeModel();
  const home = await about.home(model);
  const helmdeck = await helmdeckCommand(home, server);
  let conversations = 0;
  const hasLines = async () => {
    const message = `hello from conversation ${++conversations}`;
    const { all } = await home.run(program, say(message));
    const bodies = model.requests.filter((body) => body.includes(message));
    assert.notEqual(bodies.length, 0, `the model got no request: ${all.slice(-2_000)}`);
    return bodies.some((body) => body.includes(START_LINE));
  };
  try {
    await prepare?.(home, model);
    await check(
      'connect --auto-recall gives the model lines about memory, and --remove takes them away',
      async () => {
        await helmdeck('connect', name, '--auto-recall', '--write');
        assert.equal(await hasLines(), true);
        await helmdeck('connect', name, '--remove', '--write');
        assert.equal(await hasLines(), false);
      },
    );
  } finally {
    await home.remove();
    await model.close();
    await server.close();
  }
}
