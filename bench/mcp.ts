import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChildServer, cpuOf, startServer } from './child-server.ts';
import { load } from './load.ts';
import { makeFact, makeQuestion } from './made-up-facts.ts';

// Measures MCP calls against a bare server of the same SDK with one empty tool. Each server is a process of its own and
// all are measured in the same run, because only ratios compare across machines. `memory_recall` is measured twice: with
// only the run records that the measurement itself leaves, and with `--run-records` more from the start.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    facts: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '5' },
    'run-records': { type: 'string', default: '20000' },
  },
});
const [seconds, facts, connections, rounds, runRecords] = [
  options.seconds,
  options.facts,
  options.connections,
  options.rounds,
  options['run-records'],
].map(Number) as [number, number, number, number, number];
const BATCH = 20;
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-mcp-'));
const bare = await startServer('./bare-mcp-server.ts');
const start = (name: string) =>
  startServer('./helmdeck-server.ts', {
    HELMDECK_DB: join(folder, name, 'bench.db'),
    HELMDECK_ADDR: '127.0.0.1:0',
    HELMDECK_MEMORY_KEY: 'ab'.repeat(32),
    HELMDECK_JWT_SECRET: 'cd'.repeat(32),
    HELMDECK_RATE_LIMIT: 'off',
    HELMDECK_LOG_LEVEL: 'warn',
  });
// Separate callers, so that stored facts do not grow the index that is searched.
const [searched, afterRuns, written] = [
  await start('searched'),
  await start('after-runs'),
  await start('written'),
];

async function fill({ url, token }: ChildServer): Promise<void> {
  for (let at = 0; at < facts; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, facts - at) }, (_, n) => makeFact(at + n));
    await fetch(`${url}/api/v1/memory/store/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ facts: batch }),
    });
  }
}

async function addRunRecords({ child }: ChildServer): Promise<void> {
  child.send({ runs: runRecords });
  await once(child, 'message');
}

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function toolCall(token: string, name: string, input: object): string {
  const params = { name, arguments: input, _meta: META };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = [
    'POST /api/v1/mcp HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-protocol-version: ${VERSION}`,
    'mcp-method: tools/call',
    `mcp-name: ${name}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

const query = (n: number) => ({ query: makeQuestion(n, facts), limit: 5 });
const fact = (n: number) => makeFact(facts + n);

interface Measured {
  server: ChildServer;
  label: string;
  make: (n: number) => string;
  perSecond: number[];
  cpuMicroseconds: number[];
}
const measured = (
  server: ChildServer,
  name: string,
  input: (n: number) => object,
  label = name,
): Measured => ({
  server,
  label,
  make: (n) => toolCall(server.token, name, input(n)),
  perSecond: [],
  cpuMicroseconds: [],
});

async function measure({ server, make, perSecond, cpuMicroseconds }: Measured): Promise<void> {
  const before = await cpuOf(server);
  const result = await load(server.url, connections, seconds, make);
  cpuMicroseconds.push(((await cpuOf(server)) - before) / (result.perSecond * seconds));
  perSecond.push(result.perSecond);
}

async function schemaBytes(path: string): Promise<string> {
  const response = await fetch(searched.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${searched.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }),
  });
  const { result } = (await response.json()) as { result: { tools: { inputSchema: object }[] } };
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const input = result.tools.reduce((sum, tool) => sum + bytes(tool.inputSchema), 0);
  return `${path}: ${result.tools.length} tools, ${input} bytes of input schemas, ${bytes(result.tools)} in all`;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

for (const server of [searched, afterRuns, written]) await fill(server);
await addRunRecords(afterRuns);
const baseline = measured(bare, 'empty', () => ({}));
const all = [
  baseline,
  measured(searched, 'memory_recall', query),
  measured(afterRuns, 'memory_recall', query, `memory_recall, ${runRecords} run records`),
  measured(written, 'memory_store', fact),
];
for (const each of all) await measure(each); // warm-up, discarded
for (const each of all) each.perSecond.length = each.cpuMicroseconds.length = 0;
// One after the other within a round, so that other load on the machine affects all of them.
for (let round = 0; round < rounds; round++) for (const each of all) await measure(each);

const width = Math.max(...all.map(({ label }) => label.length));
console.log(`${'call'.padEnd(width)} calls/s   of bare   CPU per call   of bare`);
for (const { label, perSecond, cpuMicroseconds } of all) {
  const [rate, cpu] = [median(perSecond), median(cpuMicroseconds)];
  const rates = median(perSecond.map((each, at) => each / baseline.perSecond[at]!));
  const cpus = median(cpuMicroseconds.map((each, at) => each / baseline.cpuMicroseconds[at]!));
  const cells = [String(Math.round(rate)).padStart(7), rates.toFixed(2).padStart(9)];
  console.log(
    `${label.padEnd(width)} ${cells.join(' ')} ${`${Math.round(cpu)} µs`.padStart(14)} ${cpus.toFixed(2).padStart(9)}`,
  );
}
for (const path of ['/api/v1/mcp', '/api/v1/mcp/memory']) console.log(await schemaBytes(path));
for (const { child } of [bare, searched, afterRuns, written]) child.disconnect();
rmSync(folder, { recursive: true });
