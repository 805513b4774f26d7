import assert from 'node:assert/strict';
import { check } from './checks.ts';
import type { FreshHome } from './fresh-home.ts';
import { factsIn, helmdeckCommand, storeManyFacts } from './helmdeck-command.ts';
import { type ListeningModel, startListeningModel } from './listening-model.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

const MAX_BYTES = 4_000;
const CONTEXT_LINE = 'call `memory_recall` twice';

interface HookedProgram {
  /** As `helmdeck connect` calls it. */
  name: string;
  program: string;
  home(model: ListeningModel): FreshHome;
  /** Arguments that begin a conversation, say this and end. */
  say(message: string): string[];
  /** It also has a file with lines for the model. */
  hasContextFile?: boolean;
}

/** What the model is asked at the start of a conversation, as `helmdeck connect --auto-recall` sets it up. */
export async function startsWithWhatIsKnown(about: HookedProgram): Promise<void> {
  const server = await startRecordedServer();
  const model = await startListeningModel();
  const home = about.home(model);
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
  home: FreshHome,
  server: RecordedServer,
  model: ListeningModel,
): Promise<void> {
  const helmdeck = await helmdeckCommand(home, server);
  let conversations = 0;
  const asked = async () => {
    const message = `hello from conversation ${++conversations}`;
    const { all } = await home.run(program, say(message));
    const bodies = model.asked.filter((body) => body.includes(message));
    assert.notEqual(bodies.length, 0, `the model was not asked: ${all.slice(-2_000)}`);
    return bodies.join('\n');
  };
  await check('once connected, a conversation holds no facts unless asked to', async () => {
    await helmdeck('connect', name, '--write');
    assert.deepEqual(factsIn(await asked()), []);
  });
  await check('connect --auto-recall gives the model what is known, within its size', async () => {
    await helmdeck('connect', name, '--auto-recall', '--write');
    const heard = await asked();
    assert.ok(heard.includes('Notes from Helmdeck'), 'the notes did not reach the model');
    const facts = [...new Set(factsIn(heard))];
    assert.ok(facts.length >= 5, `only ${facts.length} facts reached the model`);
    assert.ok(Buffer.byteLength(facts.join('\n')) <= MAX_BYTES, `${facts.join('\n').length} characters`);
    assert.equal(heard.includes(CONTEXT_LINE), hasContextFile, 'the lines of its context file');
    assert.ok(!heard.includes('Bob likes'), "somebody else's fact reached the model");
  });
  await check('with Helmdeck away, the conversation begins without the notes', async () => {
    await server.goDown();
    assert.deepEqual(factsIn(await asked()), []);
    await server.comeBack();
  });
  await check('connect --remove leaves nothing that loads them', async () => {
    await helmdeck('connect', name, '--remove', '--write');
    assert.deepEqual(factsIn(await asked()), []);
  });
}
