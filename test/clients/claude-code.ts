import assert from 'node:assert/strict';
import { join } from 'node:path';
import { check } from './checks.ts';
import { createClientHome } from './client-home.ts';
import { installedClient } from './installed-client.ts';
import { startRecordedServer } from './recorded-server.ts';
import { checkSessionStart } from './session-start.ts';

export const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
export const claudeProgram = (version: string) =>
  join(installedClient('@anthropic-ai/claude-code', version), 'cli-wrapper.cjs');

/** Checks the output of `claude mcp list`, because its exit code is always 0. */
export async function claudeCode(version: string): Promise<void> {
  const program = claudeProgram(version);
  const server = await startRecordedServer();
  const home = createClientHome(QUIET);
  const token = await server.helmdeck.token('ada', { client: 'claude-code' });
  const add = (name: string, transport: string, path: string, bearer: string) =>
    home.run(program, [
      ...['mcp', 'add', '--transport', transport, name, server.url + path],
      ...['--header', `Authorization: Bearer ${bearer}`],
    ]);
  try {
    await check('Claude Code accepts Helmdeck as a server over HTTP and SSE', async () => {
      assert.match(
        (await add('helmdeck', 'http', '/api/v1/mcp', token)).all,
        /Added HTTP MCP server helmdeck/,
      );
      assert.match((await add('older', 'sse', '/api/v1/mcp/sse', token)).all, /Added SSE MCP server older/);
      await add('refused', 'http', '/api/v1/mcp', 'no-token');
    });
    await check('Claude Code connects over both and lists the tools', async () => {
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
  await checkSessionStart({
    name: 'claude-code',
    program: claudeProgram(version),
    home: ({ url }) => createClientHome({ ...QUIET, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    say: (message) => ['-p', message],
  });
}
