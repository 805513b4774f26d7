import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../packages/helmdeck/src/surfaces/http/auth.ts';
import { type TestServer, testServer } from '../../packages/helmdeck/src/testing/test-server.ts';
import { connectClient } from '../e2e/mcp/clients.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/mcp.md'), 'utf8');

/** The cells of the table under a heading, row by row. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(' | '));
  return rows.slice(1);
}

const named = (rows: string[][]) => rows.map(([first]) => first!.replaceAll('`', ''));

let server: TestServer;
beforeAll(async () => {
  // With a language model configured, every built-in pack is available.
  server = await testServer({
    socket: true,
    env: { HELMDECK_GATEWAY_URL: 'http://127.0.0.1:9/v1', HELMDECK_GATEWAY_MODEL: 'm' },
  });
});
afterAll(() => server.close());

describe('docs/reference/mcp.md', () => {
  it('docs/reference/mcp.md lists exactly the existing tools, with their scopes and hints', async () => {
    const client = await connectClient(server, '2026-07-28', 'ada', { scopes: SCOPES });
    const { tools } = await client.listTools();
    const rows = rowsUnder('Tools');
    expect(named(rows).sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const [name, needs, hints] of rows.map((row) => row.map((cell) => cell.replaceAll('`', '')))) {
      const { annotations = {} } = tools.find((tool) => tool.name === name)!;
      expect([name, hints!.includes('read-only')]).toEqual([name, annotations.readOnlyHint === true]);
      expect([name, hints!.includes('open world')]).toEqual([name, annotations.openWorldHint === true]);
      const scopes = needs!.split(';')[0]!.split(', ');
      const allowed = await connectClient(server, '2026-07-28', 'ada', { scopes });
      expect((await allowed.listTools()).tools.map((tool) => tool.name)).toContain(name);
      for (const missing of scopes) {
        const less = await connectClient(server, '2026-07-28', 'ada', {
          scopes: scopes.filter((s) => s !== missing),
        });
        expect((await less.listTools()).tools.map((tool) => tool.name)).not.toContain(name);
        await less.close();
      }
      await allowed.close();
    }
    await client.close();
  });

  it('docs/reference/mcp.md lists exactly the existing resources, prompts, corpus and graph tools', async () => {
    const client = await connectClient(server, '2025', 'ada');
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(named(rowsUnder('Resources'))).toEqual([
      ...resources.map(({ uri }) => uri),
      ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ]);
    for (const { name, arguments: args = [] } of (await client.listPrompts()).prompts) {
      const given = args.map((arg) => `\`${arg.name}${arg.required ? '' : '?'}\``).join(', ');
      expect(page).toContain(`\`${name}\` (${given})`);
    }
    const bridge = await connectClient(server, '2025', 'ada', { path: '/api/v1/mcp/qmd' });
    expect(named(rowsUnder('Corpus bridge'))).toEqual(
      (await bridge.listTools()).tools.map(({ name }) => name),
    );
    const graph = await connectClient(server, '2025', 'ada', { path: '/api/v1/mcp/graph' });
    expect(named(rowsUnder('Graph'))).toEqual((await graph.listTools()).tools.map(({ name }) => name));
    await Promise.all([client.close(), bridge.close(), graph.close()]);
  });
});
