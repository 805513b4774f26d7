import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './checks.ts';
import type { ClientHome } from './client-home.ts';
import { type FakeModel, startFakeModel, type Turn } from './fake-model.ts';
import { helmdeckCommand } from './helmdeck-command.ts';
import { type RecordedServer, startRecordedServer } from './recorded-server.ts';

// One conversation that every agent has with a scripted model: store, recall after a restart of the server, a refusal,
// and a call after the token was revoked. What counts is what reaches the model.

export interface Agent {
  name: string;
  version: string;
  program(): string;
  home(model: FakeModel): ClientHome | Promise<ClientHome>;
  /** Arguments that send one message in a new conversation. */
  say(message: string): string[];
  /** The call of a tool, for an agent whose model calls the tools of MCP servers through another tool. */
  through?(tool: string, input: Record<string, unknown>): NonNullable<Turn>;
  /** Does what `helmdeck connect` does, for an agent that it does not know. */
  connect?(home: ClientHome, address: string, token: string): void;
  /** What must be done after `connect` and before the conversation. */
  prepare?(home: ClientHome, model: FakeModel): Promise<void>;
}

const VALUE = 'writes letters with a green fountain pen';

interface Step {
  tool: string;
  input: Record<string, unknown>;
  before?(): Promise<void>;
}

/** How the model sees a tool: clients put prefixes before the name, Codex a namespace around it. */
function nameIn(request: string, tool: string): { tool: string; namespace?: string } | undefined {
  const name = new RegExp(`"name":\\s*"([^"]*${tool})"`).exec(request)?.[1];
  if (name === undefined) return undefined;
  const namespace = /"type":"namespace","name":"([^"]*helmdeck[^"]*)"/.exec(request)?.[1];
  return { tool: name, ...(namespace && name === tool ? { namespace } : {}) };
}

export async function checkConversation(agent: Agent): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-talk-'));
  const server = await startRecordedServer({
    HELMDECK_DB: join(dir, 'h.db'),
    HELMDECK_DATA_DIR: dir,
    HELMDECK_MEMORY_KEY: '0f'.repeat(32),
  });
  let jti = '';
  /** The number of requests that the model had got when it made each call. */
  const madeAt: number[] = [];
  const steps: Step[] = [
    { tool: 'memory_store', input: { key: 'desk/pen', value: `The user ${VALUE}.` } },
    { tool: 'memory_recall', input: { query: 'fountain pen' }, before: () => server.restart() },
    // A made-up credential, of which Helmdeck stores nothing.
    { tool: 'memory_store', input: { key: 'desk/lock', value: 'password: correct-horse-7-battery' } },
    { tool: 'memory_recall', input: { key: 'desk/pen' }, before: () => revoke(server, jti) },
  ];
  const model = await startFakeModel(async (request): Promise<Turn> => {
    const step = steps[madeAt.length];
    const through = step && agent.through?.(step.tool, step.input);
    const name = step && nameIn(request, through?.tool ?? step.tool);
    if (!step || !name || !request.includes('Which pen')) return undefined; // a title, or the end
    madeAt.push(model.requests.length);
    await step.before?.();
    return { ...name, input: through?.input ?? step.input };
  });
  const home = await agent.home(model);
  /** What the model was told between a call and the next one. */
  const toldAfter = (call: number) => {
    const from = madeAt[call];
    assert.ok(from !== undefined, `the agent made only ${madeAt.length} calls`);
    return model.requests.slice(from).find((request) => request.includes('Which pen')) ?? '';
  };
  try {
    jti = await connect(agent, home, server);
    await agent.prepare?.(home, model);
    const { all } = await home.run(agent.program(), agent.say('Which pen do I write with?'));
    await check('the model sees the tools and stores a fact', () => {
      assert.ok(madeAt.length > 0, `the model was offered no tool: ${all.slice(-1_500)}`);
      assert.match(toldAfter(0), /desk\/pen/);
    });
    await check('after a restart of the server the conversation goes on and recalls it', () => {
      const told = toldAfter(1);
      // The value is in the call that stored it, too.
      assert.ok(told.split(VALUE).length > 2, told.slice(-1_500));
    });
    await check('a refusal reaches the model in its own words', () => {
      assert.match(toldAfter(2), /secret_detected: The \w+ looks like a credential/);
    });
    await check('with the token revoked the model gets an error and no fact', () => {
      const [before, after] = [toldAfter(2), toldAfter(3)];
      assert.ok(after.length > before.length, 'the model was told nothing');
      assert.equal(after.split(VALUE).length, before.split(VALUE).length, after.slice(-1_500));
    });
  } finally {
    await home.remove();
    await model.close();
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Connects the agent; returns the id of its token. */
async function connect(agent: Agent, home: ClientHome, server: RecordedServer): Promise<string> {
  if (agent.connect) {
    const token = await server.helmdeck.token('ada', {
      client: agent.name,
      scopes: ['memory:read', 'memory:write'],
    });
    agent.connect(home, `${server.url}/api/v1/mcp/memory`, token);
    return (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;
  }
  const helmdeck = await helmdeckCommand(home, server);
  const report = await helmdeck('connect', agent.name, '--write', '--json');
  return (JSON.parse(report) as { token: { jti: string } }).token.jti;
}

async function revoke({ helmdeck }: RecordedServer, jti: string): Promise<void> {
  const authorization = `Bearer ${await helmdeck.token('ada', { scopes: ['admin'] })}`;
  const response = await helmdeck.call(undefined, 'DELETE', `/api/v1/tokens/${jti}`, undefined, {
    authorization,
  });
  assert.equal(response.status, 200, await response.text());
}
