import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { INSTRUCTIONS } from '../packages/helmdeck/src/surfaces/mcp/instructions.ts';
import { testServer } from '../packages/helmdeck/src/testing/test-server.ts';
import { installedClient } from '../test/clients/installed-client.ts';

// What Helmdeck costs a model: tools, instructions and answers over MCP, in bytes and in tokens of o200k. The tokenizer
// is installed outside the repository.

const tokenizer = join(installedClient('gpt-tokenizer', '4.0.0'), 'esm/encoding/o200k_base.js');
const { countTokens } = (await import(pathToFileURL(tokenizer).href)) as {
  countTokens(text: string): number;
};

interface Tool {
  name: string;
  description: string;
  inputSchema: object;
  outputSchema?: object;
}
interface Result {
  tools: Tool[];
  content: { text: string }[];
  structuredContent?: object;
}

const server = await testServer({ socket: true });
const token = await server.token('ada', { client: 'claude-code' });
let id = 0;

async function rpc(path: string, method: string, params: object = {}): Promise<Result> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
  });
  const text = await response.text();
  const json = text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)![1]!;
  return (JSON.parse(json) as { result: Result }).result;
}

const callTool = (name: string, input: object) =>
  rpc('/api/v1/mcp/memory', 'tools/call', { name, arguments: input });
const answer = async (name: string, input: object) => (await callTool(name, input)).content[0]!.text;
const row = (what: string, text: string) =>
  console.log(`| ${what} | ${Buffer.byteLength(text)} | ${countTokens(text)} |`);
const asSeen = ({ name, description, inputSchema }: Tool) =>
  JSON.stringify({ name, description, input_schema: inputSchema });

console.log('| what | bytes | tokens |\n|---|---|---|');
for (const path of ['/api/v1/mcp/memory', '/api/v1/mcp']) {
  const { tools } = await rpc(path, 'tools/list');
  row(`${path}: ${tools.length} tools as a model sees them`, tools.map(asSeen).join('\n'));
  if (path.endsWith('memory')) {
    for (const tool of tools) row(`– ${tool.name}`, asSeen(tool));
    row('– input schemas alone', tools.map(({ inputSchema }) => JSON.stringify(inputSchema)).join(''));
    row('– output schemas besides', tools.map(({ outputSchema }) => JSON.stringify(outputSchema)).join(''));
  }
}
row('instructions', INSTRUCTIONS);

const FACTS: readonly [string, string][] = [
  ['project/konflux/deploy', 'Konflux is deployed with helm upgrade from the release branch, never by hand.'],
  ['project/konflux/owner', 'Maria owns the Konflux deployment and approves every release on Thursdays.'],
  ['project/konflux/staging', 'The staging cluster of Konflux is reset every Sunday night at two.'],
  [
    'project/konflux/rollback',
    'To roll back Konflux, revert the release commit and let the pipeline deploy it.',
  ],
  ['project/konflux/alerts', 'Alerts about the Konflux deployment go to the channel ops-konflux.'],
  ...Array.from({ length: 25 }, (_, n): [string, string] => [
    `log/page-${n}`,
    `Page ${n} of the log is done.`,
  ]),
];
for (const [key, value] of FACTS) await server.call('ada', 'POST', '/api/v1/memory/store', { key, value });
const fiveHits = { query: 'konflux deployment', limit: 5 };
row('recall, 5 hits', await answer('memory_recall', fiveHits));
const { structuredContent } = await callTool('memory_recall', fiveHits);
row('– as Claude Code and Codex see it', JSON.stringify(structuredContent));
row('overview, 20 of 30 facts', await answer('memory_recall', { query: 'what do you know about me' }));
row('recall, nothing known', await answer('memory_recall', { query: 'quarterly tax' }));
row('recall by a mistyped key', await answer('memory_recall', { key: 'project/konflux/deplyo' }));
row('store, one', await answer('memory_store', { key: 'preferences/tea', value: 'The user drinks tea.' }));
row('refusal', await answer('memory_forget', { scope: 'all' }));
await server.close();
