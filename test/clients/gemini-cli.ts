import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, eventually } from './checks.ts';
import { type ClientHome, createClientHome } from './client-home.ts';
import { type Script, startFakeModel, type Turn } from './fake-model.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';
import { checkSessionStart } from './session-start.ts';

const programOf = (version: string) =>
  join(installedClient('@google/gemini-cli', version), 'bundle/gemini.js');

/** A home whose project is a trusted folder, with the model at this URL. */
function createGeminiHome(modelUrl: string): ClientHome {
  const home = createClientHome({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl });
  home.write('.gemini/trustedFolders.json', JSON.stringify({ [home.project]: 'TRUST_FOLDER' }));
  home.write(
    '.gemini/settings.json',
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } }, telemetry: { enabled: false } }),
  );
  return home;
}

export async function geminiCli(version: string): Promise<void> {
  const program = programOf(version);
  const server = await startRecordedServer();
  // The model is unreachable: the client lists tools before it calls it.
  const home = createGeminiHome('http://127.0.0.1:9');
  const token = await server.helmdeck.token('ada', { client: 'gemini-cli' });
  const add = (name: string, transport: string, path: string, bearer: string) =>
    home.run(program, [
      ...['mcp', 'add', '--transport', transport, name, server.url + path],
      ...['--header', `Authorization: Bearer ${bearer}`],
    ]);
  try {
    await check('Gemini CLI accepts Helmdeck as a server over HTTP and SSE', async () => {
      assert.match((await add('helmdeck', 'http', '/api/v1/mcp', token)).all, /"helmdeck" added/);
      assert.match((await add('older', 'sse', '/api/v1/mcp/sse', token)).all, /"older" added/);
      await add('refused', 'http', '/api/v1/mcp', 'no-token');
    });
    await check('Gemini CLI connects over both', async () => {
      const { all } = await home.run(program, ['mcp', 'list']);
      assert.match(all, /helmdeck: .* - Connected/);
      assert.match(all, /older: .* - Connected/);
      assert.match(all, /refused: .* - Disconnected/);
    });
    await check('Gemini CLI lists tools, prompts and resources at the start of a conversation', async () => {
      server.calls.length = 0;
      home.start(program, ['-p', 'hello']);
      const listed = ['tools/list', 'prompts/list', 'resources/list'].map(
        (method) => `POST /api/v1/mcp ${method}`,
      );
      await eventually(
        async () => server.calls,
        (calls) => listed.every((call) => calls.includes(call)),
      );
    });
  } finally {
    await home.remove();
    await server.close();
  }
}

/** A model that calls these tools one after the other; before each, the step prepares what it needs. */
function scriptOf(steps: readonly { before?(): Promise<void>; turn: NonNullable<Turn> }[]): Script {
  let next = 0;
  return async (request) => {
    if (!request.includes('mcp_helmdeck_')) return undefined; // not the conversation
    const step = steps[next++];
    await step?.before?.();
    return step?.turn;
  };
}

export async function geminiCliRestart(version: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'helmdeck-gemini-'));
  const server = await startRecordedServer({
    HELMDECK_DB: join(dir, 'h.db'),
    HELMDECK_MEMORY_KEY: '0f'.repeat(32),
  });
  const model = await startFakeModel(
    scriptOf([
      {
        turn: { tool: 'mcp_helmdeck_memory_store', input: { key: 'desk/editor', value: 'writes with vim' } },
      },
      {
        before: () => server.restart(),
        turn: { tool: 'mcp_helmdeck_memory_recall', input: { key: 'desk/editor' } },
      },
      { turn: { tool: 'mcp_helmdeck_memory_forget', input: { scope: 'all' } } },
    ]),
  );
  const home = createGeminiHome(model.url);
  const program = programOf(version);
  const token = await server.helmdeck.token('ada', { client: 'gemini-cli' });
  await home.run(program, [
    ...['mcp', 'add', '--transport', 'http', 'helmdeck', `${server.url}/api/v1/mcp`],
    ...['--header', `Authorization: Bearer ${token}`],
  ]);
  /** What the model was told last about a call of a tool. */
  const told = (tool: string) => {
    const conversation = model.requests.findLast((request) => request.includes(`"functionResponse"`)) ?? '';
    const at = conversation.lastIndexOf(`"functionResponse":`);
    assert.ok(conversation.includes(tool), `the model was told nothing about ${tool}`);
    return conversation.slice(at);
  };
  try {
    await check('A Gemini CLI conversation goes on after a server restart', async () => {
      server.calls.length = 0;
      const { all } = await home.run(program, [
        ...['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', 'Which editor do I use?'],
      ]);
      assert.match(all, /ok/);
      const opened = server.calls.filter((call) => call === 'POST /api/v1/mcp initialize');
      const called = server.calls.filter((call) => call === 'POST /api/v1/mcp tools/call');
      assert.deepEqual([opened.length, called.length], [1, 3]);
      const recalled = model.requests.find((request) => /"functionResponse".*writes with vim/s.test(request));
      assert.ok(recalled, 'the fact stored before the restart was not recalled after it');
    });
    await check('A refusal reaches the model of Gemini CLI in its own words', async () => {
      assert.match(told('memory_forget'), /invalid_input: Forgetting .* needs confirm: true\. Ask the user/);
    });
  } finally {
    await home.remove();
    await model.close();
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function geminiCliStart(version: string): Promise<void> {
  await checkSessionStart({
    name: 'gemini-cli',
    program: programOf(version),
    home: ({ url }) => createGeminiHome(url),
    hasContextFile: true,
    // Any model name will do; without one the client first calls a model to choose a model.
    say: (message) => ['-m', 'gemini-2.5-flash', '-p', message],
  });
}
