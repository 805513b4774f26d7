import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHelmdeck } from '../../client/index.ts';
import { type TestServer, testServer } from '../../testing/test-server.ts';
import { memoryToolHandlers } from './index.ts';

type MemoryTool = ReturnType<typeof betaMemoryTool>;
type Command = Parameters<MemoryTool['run']>[0];

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ socket: true });
});
afterAll(() => server.close());

const clientOf = async (subject: string) =>
  createHelmdeck({ url: server.url, token: await server.token(subject) });
const toolOf = async (subject: string) => betaMemoryTool(memoryToolHandlers(await clientOf(subject)));

/** What the model reads. Directories have other sizes on a disk. */
async function run(tool: MemoryTool, command: Command): Promise<string> {
  try {
    const text = String(await tool.run(command));
    return text.replaceAll(/^[\d.]+[BKMG]\t(\S+\/|\/memories|\/memories\/sub)$/gm, 'size\t$1');
  } catch (thrown) {
    return `Error: ${(thrown as Error).message}`;
  }
}

/** Everything that models do with the tool, mistakes included. */
const SCRIPT: readonly Command[] = [
  { command: 'view', path: '/memories' },
  { command: 'view', path: '/memories/none.md' },
  {
    command: 'create',
    path: '/memories/notes.md',
    file_text: '# Notes\n\n  - indented\nends with a line break\n',
  },
  { command: 'create', path: '/memories/notes.md', file_text: 'again' },
  { command: 'create', path: '/memories/empty.md', file_text: '' },
  { command: 'create', path: '/memories/sub/deep/er/plan.md', file_text: '  begins with white space' },
  { command: 'create', path: '/memories/sub/list.txt', file_text: `${'x'.repeat(1500)}\n\n\n` },
  { command: 'create', path: '/memories/.hidden', file_text: 'hidden' },
  { command: 'view', path: '/memories' },
  { command: 'view', path: '/memories/sub' },
  { command: 'view', path: '/memories/notes.md' },
  { command: 'view', path: '/memories/notes.md', view_range: [2, 3] },
  { command: 'view', path: '/memories/notes.md', view_range: [3, -1] },
  { command: 'view', path: '/memories/empty.md' },
  { command: 'view', path: '/memories/sub/deep/er/plan.md' },
  {
    command: 'str_replace',
    path: '/memories/notes.md',
    old_str: 'indented',
    new_str: 'in$&dented\nand more',
  },
  { command: 'str_replace', path: '/memories/notes.md', old_str: 'absent', new_str: 'x' },
  { command: 'str_replace', path: '/memories/notes.md', old_str: 'e', new_str: 'x' },
  { command: 'str_replace', path: '/memories/none.md', old_str: 'a', new_str: 'b' },
  { command: 'str_replace', path: '/memories/sub', old_str: 'a', new_str: 'b' },
  { command: 'insert', path: '/memories/notes.md', insert_line: 0, insert_text: 'first\n' },
  { command: 'insert', path: '/memories/notes.md', insert_line: 2, insert_text: 'two\nlines' },
  { command: 'insert', path: '/memories/notes.md', insert_line: 99, insert_text: 'never' },
  { command: 'insert', path: '/memories/none.md', insert_line: 0, insert_text: 'never' },
  { command: 'insert', path: '/memories/empty.md', insert_line: 0, insert_text: 'no longer empty' },
  { command: 'view', path: '/memories/notes.md' },
  { command: 'view', path: '/memories/empty.md' },
  { command: 'rename', old_path: '/memories/notes.md', new_path: '/memories/archive/2026/notes.md' },
  { command: 'rename', old_path: '/memories/notes.md', new_path: '/memories/x.md' },
  { command: 'rename', old_path: '/memories/empty.md', new_path: '/memories/sub/list.txt' },
  { command: 'rename', old_path: '/memories/sub', new_path: '/memories/moved' },
  { command: 'rename', old_path: '/memories', new_path: '/memories/x' },
  { command: 'view', path: '/memories/moved/deep/er/plan.md' },
  { command: 'view', path: '/memories/archive/2026/notes.md' },
  { command: 'delete', path: '/memories/moved' },
  { command: 'delete', path: '/memories/moved' },
  { command: 'delete', path: '/memories' },
  { command: 'view', path: '/memories/../../etc/passwd' },
  { command: 'create', path: '/memories/../escaped', file_text: 'x' },
  { command: 'view', path: '/etc/passwd' },
  { command: 'view', path: '/memories' },
];

describe('the Anthropic memory tool', () => {
  it("every command gives the model the text of the SDK's own implementation, character by character", async () => {
    const dir = mkdtempSync(join(tmpdir(), 'helmdeck-memory-tool-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const onDisk = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(dir));
    const inHelmdeck = await toolOf('ada');
    for (const command of SCRIPT) {
      const expected = await run(onDisk, command);
      expect([command, await run(inHelmdeck, command)]).toEqual([command, expected]);
    }
  });

  it('edits of one file by several agents at once are all kept', async () => {
    const tool = await toolOf('grace');
    await run(tool, { command: 'create', path: '/memories/log.md', file_text: 'log' });
    const numbers = [1, 2, 3, 4];
    const results = await Promise.all(
      numbers.map((n) =>
        run(tool, { command: 'insert', path: '/memories/log.md', insert_line: 1, insert_text: `entry ${n}` }),
      ),
    );
    expect(results).toEqual(numbers.map(() => 'The file /memories/log.md has been edited.'));
    const text = await run(tool, { command: 'view', path: '/memories/log.md' });
    for (const n of numbers) expect(text).toContain(`entry ${n}`);
    const again = numbers.map(() =>
      run(tool, { command: 'create', path: '/memories/once.md', file_text: 'one of four' }),
    );
    const created = await Promise.all(again);
    expect(created.filter((answer) => answer.startsWith('File created'))).toHaveLength(1);
    expect(
      created.filter((answer) => answer === 'Error: File /memories/once.md already exists'),
    ).toHaveLength(3);
  });

  it('a renamed file keeps its history, and its earlier texts are under its new path', async () => {
    const tool = await toolOf('mary');
    const path = '/memories/a.md';
    await run(tool, { command: 'create', path, file_text: 'first' });
    await run(tool, { command: 'str_replace', path, old_str: 'first', new_str: 'second' });
    await run(tool, { command: 'rename', old_path: path, new_path: '/memories/b.md' });
    const { facts } = await clientOf('mary');
    const { versions } = await facts.history('memories/b.md');
    expect(versions.map(({ value }) => value)).toEqual(['second', 'second', 'first']);
    expect(await facts.get('memories/a.md')).toBeUndefined();
  });

  it('a credential is refused with a sentence, and a text that waits for a person is not taken for stored', async () => {
    const tool = await toolOf('linus');
    const secret = 'ghp_1234567890abcdefghijklmnopqrstuvwxYZ';
    const refused = await run(tool, {
      command: 'create',
      path: '/memories/t.md',
      file_text: `token ${secret}`,
    });
    expect(refused).toContain('looks like a credential');
    expect(refused).not.toContain(secret);
    const proposing = createHelmdeck({
      url: server.url,
      token: await server.token('linus', { scopes: ['memory:read', 'memory:propose'] }),
    });
    const waiting = betaMemoryTool(memoryToolHandlers(proposing));
    expect(
      await run(waiting, { command: 'create', path: '/memories/p.md', file_text: 'Linus likes tea.' }),
    ).toBe("Error: Nothing was stored yet: the text waits in Helmdeck's inbox for a person to decide.");
    expect(await run(tool, { command: 'view', path: '/memories' })).toBe(
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\nsize\t/memories",
    );
  });
});
