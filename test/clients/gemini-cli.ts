import assert from 'node:assert/strict';
import { join } from 'node:path';
import { check, eventually } from './checks.ts';
import { type ClientHome, createClientHome } from './client-home.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';
import { checkSessionStart } from './session-start.ts';

export const geminiProgram = (version: string) =>
  join(installedClient('@google/gemini-cli', version), 'bundle/gemini.js');

/** A home whose project is a trusted folder, with the model at this URL. */
export function createGeminiHome(modelUrl: string): ClientHome {
  const home = createClientHome({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: modelUrl });
  home.write('.gemini/trustedFolders.json', JSON.stringify({ [home.project]: 'TRUST_FOLDER' }));
  home.write(
    '.gemini/settings.json',
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } }, telemetry: { enabled: false } }),
  );
  return home;
}

export async function geminiCli(version: string): Promise<void> {
  const program = geminiProgram(version);
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

export async function geminiCliStart(version: string): Promise<void> {
  await checkSessionStart({
    name: 'gemini-cli',
    program: geminiProgram(version),
    home: ({ url }) => createGeminiHome(url),
    hasContextFile: true,
    // Any model name will do; without one the client first calls a model to choose a model.
    say: (message) => ['-m', 'gemini-2.5-flash', '-p', message],
  });
}
