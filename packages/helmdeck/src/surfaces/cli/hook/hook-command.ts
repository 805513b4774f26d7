import { Argument, type Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { readStdin } from '../terminal/files.ts';
import { findConnectedServer } from './connected-server.ts';
import { HOOK_EVENTS } from './hook-events.ts';
import { runHook } from './run-hook.ts';

/** `helmdeck hook`: what programs run on their events. The program itself starts it without loading this command line. */
export function addHookCommand(program: Command, deps: CliDeps): void {
  const name = new Argument('<program>', 'the program that runs it');
  name.argChoices = Object.keys(HOOK_EVENTS);
  defineCommand(
    program,
    'hook <program> <event>',
    'answer a hook of a program: its JSON on stdin, notes for the model on stdout; "connect" installs it',
    [
      `echo '{"prompt":"how do we deploy?"}' | helmdeck hook claude-code UserPromptSubmit`,
      'connect claude-code --write --auto-recall',
    ],
  )
    .option('--spaces <list>', 'notes from these memories: mine and names of spaces, or * for all')
    .option('--ask', 'on Stop or AfterAgent, ask the agent once what to store')
    .action(
      async (client: string, event: string, { ask = false, spaces }: { ask?: boolean; spaces?: string }) => {
        const input = await readStdin(deps.terminal.in).catch(() => '');
        const call = { program: client, event, input, ask, spaces };
        deps.terminal.out.write(await runHook(call, deps.machine, deps.now(), findConnectedServer));
      },
    );
}
