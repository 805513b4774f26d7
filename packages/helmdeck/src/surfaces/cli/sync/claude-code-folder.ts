import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../errors.ts';
import { readConfig } from '../connect/formats/config-file.ts';
import { readAt } from '../connect/formats/json-text.ts';
import type { Machine } from '../deps.ts';

/** Claude Code shortens longer names with a hash of its own. */
const MAX_SLUG_CHARS = 200;

/** The root of the project around a folder: where its repository begins, else the folder itself. */
export function projectRoot(workDir: string): string {
  for (let folder = workDir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return workDir;
  }
}

/** The keys of a project's facts begin like this. */
export const projectPrefix = (root: string) =>
  `project/${
    basename(root)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-') || 'root'
  }/`;

/** The folder in which Claude Code keeps what it remembers about a project. */
export async function claudeMemoryFolder({ environment, homeDir }: Machine, root: string): Promise<string> {
  const claudeDir = environment.CLAUDE_CONFIG_DIR ?? join(homeDir, '.claude');
  const settings = (await readConfig(join(claudeDir, 'settings.json'))) ?? '';
  const moved = settings.trim() === '' ? undefined : readAt(settings, ['autoMemoryDirectory']);
  if (typeof moved === 'string' && moved !== '') return moved.replace(/^~(?=\/|$)/, homeDir);
  const slug = root.replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (slug.length > MAX_SLUG_CHARS)
    throw new AppError('invalid_input', 'The path of this project is too long to find its memory folder.', {
      hint: 'Name the folder with --folder.',
    });
  return join(claudeDir, 'projects', slug, 'memory');
}
