import assert from 'node:assert/strict';
import { join } from 'node:path';
import { check, eventually } from './checks.ts';
import { createFreshHome, type FreshHome } from './fresh-home.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';
import { startsWithWhatIsKnown } from './session-start.ts';

const programOf = (version: string) =>
  join(installedClient('@google/gemini-cli', version), 'bundle/gemini.js');

/** A home in whose project the program trusts itself to work, and a model at an address. */
function createGeminiHome(modelUrl: string): FreshHome {
  const home = createFreshHome({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl });
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
  // A model that nobody can reach: the program lists tools before it asks it.
  const home = createGeminiHome('http://127.0.0.1:9');
  const token = await server.helmdeck.token('ada', { client: 'gemini-cli' });
  const add = (name: string, transport: string, path: string, bearer: string) =>
    home.run(program, [
      ...['mcp', 'add', '--transport', transport, name, server.url + path],
      ...['--header', `Authorization: Bearer ${bearer}`],
    ]);
  try {
    await check('takes Helmdeck over HTTP and over SSE', async () => {
      assert.match((await add('helmdeck', 'http', '/api/v1/mcp', token)).all, /"helmdeck" added/);
      assert.match((await add('older', 'sse', '/api/v1/mcp/sse', token)).all, /"older" added/);
      await add('refused', 'http', '/api/v1/mcp', 'no-token');
    });
    await check('connects to both', async () => {
      const { all } = await home.run(program, ['mcp', 'list']);
      assert.match(all, /helmdeck: .* - Connected/);
      assert.match(all, /older: .* - Connected/);
      assert.match(all, /refused: .* - Disconnected/);
    });
    await check('lists tools, prompts and resources at the start of a conversation', async () => {
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

export async function geminiCliStart(version: string): Promise<void> {
  await startsWithWhatIsKnown({
    name: 'gemini-cli',
    program: programOf(version),
    home: ({ url }) => createGeminiHome(url),
    hasContextFile: true,
    // Which model it is does not matter; without a name the program asks models which one to ask.
    say: (message) => ['-m', 'gemini-2.5-flash', '-p', message],
  });
}
