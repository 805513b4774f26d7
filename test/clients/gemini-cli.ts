import assert from 'node:assert/strict';
import { join } from 'node:path';
import { check, eventually } from './checks.ts';
import { createFreshHome } from './fresh-home.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';

export async function geminiCli(version: string): Promise<void> {
  const program = join(installedClient('@google/gemini-cli', version), 'bundle/gemini.js');
  const server = await startRecordedServer();
  // A model that nobody can reach: the program lists tools before it asks it.
  const home = createFreshHome({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' });
  home.write('.gemini/trustedFolders.json', JSON.stringify({ [home.project]: 'TRUST_FOLDER' }));
  home.write(
    '.gemini/settings.json',
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } }, telemetry: { enabled: false } }),
  );
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
