import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { printable } from '../terminal/table.ts';
import { projectOf } from './project-name.ts';

/** `helmdeck project`: the name under which facts about this folder are stored and ranked. */
export function addProjectCommand(program: Command, deps: CliDeps): void {
  defineCommand(
    program,
    'project [folder]',
    'print the project of a folder: from a .helmdeck file, its git remote, or its name',
    ['project', 'helmdeck remember deploy/target staging --project "$(helmdeck project)"'],
  ).action(async (folder: string | undefined, _options: object, command: Command) => {
    const { workDir, homeDir } = deps.machine;
    const project = projectOf(resolve(workDir, folder ?? '.'), homeDir);
    if (!project)
      throw new AppError('not_found', 'This folder is not a project.', {
        hint: 'Name one: put a line such as "shop" into a file ".helmdeck" in it.',
      });
    await screenOf(deps, command).result({ project: project.name, from: project.from }, () =>
      printable(project.name),
    );
  });
}
