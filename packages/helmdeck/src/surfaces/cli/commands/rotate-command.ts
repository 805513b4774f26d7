import type { Command } from 'commander';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, KeyRotationReport } from '../deps.ts';

/** `helmdeck rotate`. */
export function addRotateCommand(program: Command, deps: CliDeps): void {
  defineCommand(program, 'rotate', 'replace the memory key in the secrets file', [
    'rotate',
    'rotate --finish',
  ])
    .option('--finish', 'remove the previous key, once nothing depends on it')
    .action(async (options: { finish?: boolean }, command: Command) => {
      const report = await deps.rotateKey({ finish: options.finish === true });
      await screenOf(deps, command).result(report, () => describe(report));
    });
}

function describe({ file, key_id, previous_key_ids, finished }: KeyRotationReport): string {
  const previous = previous_key_ids.join(', ');
  if (finished)
    return [
      `The rotation to the key ${key_id} is finished. Removed from ${file}: ${previous}.`,
      'Restart the server, so that it no longer holds the previous key. Keep that key with the backups it opens.',
    ].join('\n');
  return [
    `New memory key ${key_id} in ${file}; ${previous} is now the previous key.`,
    'Next:',
    '  1. Back up this file, separately from the database.',
    '  2. Restart the server: it re-wraps the data keys while it serves.',
    '  3. Run "helmdeck rotate --finish" and restart once more.',
    'If several nodes use this database, they all need both keys: see docs/howto/rotate-the-key.md.',
  ].join('\n');
}
