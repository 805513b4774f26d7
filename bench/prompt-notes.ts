import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listen } from '../packages/helmdeck/src/server/http/listen.ts';
import { DEVELOPMENT_SHAPES, wrapped } from '../test/prompt-notes/prompt-shapes.ts';
import { makeQuestion } from './made-up-facts.ts';
import { caller, fill, startRecall } from './recall-server.ts';

// What recall before every prompt costs: notes in the server at several sizes of a memory, and a whole hook beside a bare
// Node. The hook is the built one: run `npm run build` first.

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    prompts: { type: 'string', default: '600' },
    hooks: { type: 'string', default: '40' },
  },
});
const PROMPTS = Number(options.prompts);
const HOOKS = Number(options.hooks);
const HOOK_ROWS = 10_000;
const BIN = fileURLToPath(new URL('../packages/helmdeck/bin/helmdeck.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-bench-prompt-notes-'));
const shapes = Object.values(DEVELOPMENT_SHAPES);

const percentiles = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]! * 100) / 100;
  return { p50: at(0.5), p95: at(0.95) };
};

async function measure(rows: number): Promise<object> {
  const { server, memory, config } = await startRecall(join(folder, String(rows)));
  await fill(memory, rows);
  const { token } = await server.auth.mint({ caller, scopes: ['memory:read'], ttlSeconds: 3600 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let withNotes = 0;
  const ask = async (number: number) => {
    const prompt = wrapped(shapes[number % shapes.length]!, makeQuestion(number, rows));
    const body = JSON.stringify({ prompt, session_id: `session ${number}` });
    const request = new Request('http://127.0.0.1:3000/api/v1/memory/prompt-notes', {
      method: 'POST',
      headers,
      body,
    });
    const startMs = performance.now();
    const answer = await server.app.fetch(request);
    const { notes } = (await answer.json()) as { notes: unknown[] };
    if (notes.length > 0) withNotes++;
    return performance.now() - startMs;
  };
  for (let number = 0; number < 50; number++) await ask(number);
  withNotes = 0;
  const times: number[] = [];
  for (let number = 0; number < PROMPTS; number++) times.push(await ask(number));
  const { p50, p95 } = percentiles(times);
  const measured = {
    facts: rows,
    'p50 ms': p50,
    'p95 ms': p95,
    'with notes %': Math.round((100 * withNotes) / PROMPTS),
  };
  if (rows !== HOOK_ROWS) {
    await server.close();
    return measured;
  }
  const { url, close } = await listen(server, config);
  await measureHooks(url, token, rows);
  await close();
  return measured;
}

/** Runs a program and returns how long it took, from start to end. */
async function run(args: readonly string[], input: string, home: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: home },
    cwd: home,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(input);
  await once(child, 'close');
  return performance.now() - startMs;
}

async function measureHooks(url: string, token: string, rows: number): Promise<void> {
  const home = mkdtempSync(join(folder, 'home-'));
  const entry = {
    type: 'http',
    url: `${url}/api/v1/mcp/memory`,
    headers: { Authorization: `Bearer ${token}` },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: { helmdeck: entry } }));
  const bare: number[] = [];
  const hooks: number[] = [];
  for (let number = 0; number < HOOKS; number++) {
    bare.push(await run(['-e', '0'], '', home));
    const prompt = wrapped(shapes[number % shapes.length]!, makeQuestion(number, rows));
    const input = JSON.stringify({ session_id: `hook ${number}`, prompt, cwd: home });
    hooks.push(await run([BIN, 'hook', 'claude-code', 'UserPromptSubmit'], input, home));
  }
  console.log('start to end of a process, ms, at', rows, 'facts');
  console.table({ 'node -e 0': percentiles(bare), 'helmdeck hook': percentiles(hooks) });
}

console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}\n`);
const table: object[] = [];
for (let rows = 1_000; rows <= Number(options.rows); rows *= 10) table.push(await measure(rows));
console.log('POST /api/v1/memory/prompt-notes, in the server');
console.table(table);
rmSync(folder, { recursive: true });
