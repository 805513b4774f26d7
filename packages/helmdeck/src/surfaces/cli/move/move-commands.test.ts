import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../testing/run-cli.ts';
import { type TestServer, testServer } from '../../../testing/test-server.ts';

let server: TestServer;
let folder: string;
let subject: string;
let subjects = 0;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  subject = `mover ${++subjects}`;
  folder = await mkdtemp(join(tmpdir(), 'helmdeck-move-test-'));
  return () => rm(folder, { recursive: true });
});

const run = (argv: string[], input?: string) => runCli(server, argv, { subject, input });
async function file(name: string, text: string) {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}
const MEM0 = JSON.stringify({
  results: [
    { memory: 'Likes green tea', user_id: 'a' },
    { memory: 'Owns a canoe', user_id: 'a' },
  ],
});

describe('helmdeck import', () => {
  it('imports a folder of several formats into the inbox, and says what it passed over', async () => {
    await file('memory/user_tea.md', '---\nname: Tea\ndescription: d\ntype: user\n---\nLikes green tea.\n');
    await file('memory/2026-03-04.md', '# Day\n- Bought a canoe.\n');
    await file('memory/strange.json', '{"a":1}');
    await file('node_modules/x/AGENTS.md', '## Rules\n- never\n');
    const dry = await run(['import', folder, '--dry-run']);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toContain('Would store 0, 2 to the inbox');
    expect(dry.out).toContain('user/tea: d');
    expect(dry.err).toContain('1 file of no known format passed over.');
    expect((await run(['import', folder])).out).toContain('Stored 0, 2 to the inbox, unchanged 0');
    expect((await run(['import', folder])).out).toContain('Stored 0, unchanged 2');
  });

  it('with --accept stores at once, from a file and from stdin', async () => {
    const path = await file('mem0.json', MEM0);
    expect((await run(['import', path, '--accept'])).out).toContain('Stored 2, unchanged 0');
    expect((await run(['import', '-', '--accept'], MEM0)).out).toContain('Stored 0, unchanged 2');
  });

  it('asks for the format of a text that fits none, instead of complaining about its lines', async () => {
    const result = await run(['import', '-'], '# Notes\n\n## Testing\n- Run the tests before a push\n');
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(result.err).toContain('name it with --format');
    expect(result.err).toContain('agents-md');
  });

  it('takes JSON of no known format for an export and explains each line', async () => {
    const result = await run(['import', await file('facts.jsonl', '{"key":"a",\nor Madam\n')]);
    expect(result.code).not.toBe(0);
    expect(result.out).toContain('line 1: The line is not JSON.');
    expect(result.out).toContain('line 2: The line is not JSON.');
  });

  it('refuses an unknown format before anything is sent', async () => {
    expect((await run(['import', await file('a.json', MEM0), '--format', 'word'])).code).toBe(2);
  });
});

describe('helmdeck export', () => {
  it('writes Markdown that import takes back', async () => {
    await run(['import', await file('mem0.json', MEM0), '--accept']);
    const path = join(folder, 'memory.md');
    expect((await run(['export', path, '--format', 'markdown'])).out).toContain('Exported all facts');
    expect(await readFile(path, 'utf8')).toContain('## mem0/likes-green-tea');
    subject = `mover ${++subjects}`;
    expect((await run(['import', path, '--accept'])).out).toContain('Stored 2');
    expect((await run(['export', '--all'])).out).toContain('"type":"fact"');
    expect((await run(['export', '--all', '--format', 'pam'])).code).toBe(2);
  });
});

describe('helmdeck harvest', () => {
  it.each([
    [
      'Claude Code',
      '{"type":"user","timestamp":"2026-02-01T09:00:00Z","message":{"role":"user","content":"I prefer tabs over spaces."}}\n{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"We decided to use Oracle."}]}}\n{"type":"user","isMeta":true,"message":{"role":"user","content":"Always use Oracle."}}\n{"type":"assi',
    ],
    [
      'Codex',
      '{"type":"session_meta","payload":{}}\n{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"I prefer tabs over spaces."}]}}\n{"type":"response_item","payload":{"type":"function_call_output","output":"We decided to use Oracle."}}\n',
    ],
    [
      'Gemini CLI',
      '{"sessionId":"s","messages":[{"type":"user","content":"I prefer tabs over spaces."},{"type":"gemini","content":"We decided to use Oracle."}]}',
    ],
    ['plain turns', '{"role":"user","text":"I prefer tabs over spaces."}\n'],
  ])('reads a transcript of %s', async (_name, transcript) => {
    const path = await file('transcript.jsonl', transcript);
    const dry = await run(['harvest', path, '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({
      proposals: [{ key: 'preferences/indentation', quote: 'I prefer tabs over spaces.' }],
    });
    expect((await run(['harvest', path])).out).toContain('1 new proposal in the inbox');
    expect((await run(['harvest', path])).out).toContain('(waits already)');
  });

  it('says when a file has no conversation', async () => {
    expect((await run(['harvest', '-'], 'Dear Sir')).err).toContain('no turns of a conversation');
  });
});
