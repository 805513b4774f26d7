import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../errors.ts';
import type { CliDeps } from '../deps.ts';

/** Opens a text in the person's editor and returns it as it was saved. The file is readable by this user only, and deleted. */
export async function editText(deps: CliDeps, text: string, name: string): Promise<string> {
  const { VISUAL, EDITOR } = deps.machine.environment;
  const editor = VISUAL || EDITOR || (deps.machine.platform === 'win32' ? 'notepad' : 'vi');
  const folder = await mkdtemp(join(tmpdir(), 'helmdeck-'));
  const unregister = deps.onInterrupt(() => rm(folder, { recursive: true, force: true }));
  try {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    const code = await runEditor(editor, file);
    if (code !== 0)
      throw new AppError('invalid_input', `The editor ended with code ${code}; nothing was decided.`, {
        reason: 'editor_failed',
        hint: 'Set EDITOR to the program that you edit with.',
      });
    return await readFile(file, 'utf8');
  } finally {
    unregister();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Through a shell, because EDITOR may have arguments: "code --wait". The file name is passed beside it, never inside. */
function runEditor(editor: string, file: string): Promise<number> {
  const windows = process.platform === 'win32';
  const child = windows
    ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
