import assert from 'node:assert/strict';
import { join } from 'node:path';
import { check } from './checks.ts';
import { createFreshHome } from './fresh-home.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';
import { startsWithWhatIsKnown } from './session-start.ts';

const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
const programOf = (version: string) =>
  join(installedClient('@anthropic-ai/claude-code', version), 'cli-wrapper.cjs');

/** `claude mcp list` ends with 0 whatever it found, so its words count. */
export async function claudeCode(version: string): Promise<void> {
  const program = programOf(version);
  const server = await startRecordedServer();
  const home = createFreshHome(QUIET);
  const token = await server.helmdeck.token('ada', { client: 'claude-code' });
  const add = (name: string, transport: string, path: string, bearer: string) =>
    home.run(program, [
      ...['mcp', 'add', '--transport', transport, name, server.url + path],
      ...['--header', `Authorization: Bearer ${bearer}`],
    ]);
  try {
    await check('takes Helmdeck over HTTP and over SSE', async () => {
      assert.match(
        (await add('helmdeck', 'http', '/api/v1/mcp', token)).all,
        /Added HTTP MCP server helmdeck/,
      );
      assert.match((await add('older', 'sse', '/api/v1/mcp/sse', token)).all, /Added SSE MCP server older/);
      await add('refused', 'http', '/api/v1/mcp', 'no-token');
    });
    await check('connects to both and lists their tools', async () => {
      const { all } = await home.run(program, ['mcp', 'list']);
      assert.match(all, /^helmdeck: .*Connected$/m);
      assert.match(all, /^older: .*Connected$/m);
      assert.match(all, /^refused: .*Failed to connect.*invalid_token/m);
      assert.ok(server.calls.includes('POST /api/v1/mcp server/discover'), String(server.calls));
      assert.ok(server.calls.includes('POST /api/v1/mcp tools/list'), String(server.calls));
      assert.ok(server.calls.includes('POST /api/v1/mcp/sse/message tools/list'), String(server.calls));
    });
  } finally {
    await home.remove();
    await server.close();
  }
}

export async function claudeCodeStart(version: string): Promise<void> {
  await startsWithWhatIsKnown({
    name: 'claude-code',
    program: programOf(version),
    home: ({ url }) => createFreshHome({ ...QUIET, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    say: (message) => ['-p', message],
  });
}
