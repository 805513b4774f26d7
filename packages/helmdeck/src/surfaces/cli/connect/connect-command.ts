import { Argument, type Command, Option } from 'commander';
import { AppError } from '../../../errors.ts';
import { MCP_PROFILES } from '../commands/mcp-profiles.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { withConnection } from '../server-request.ts';
import { parseDuration } from '../terminal/duration.ts';
import { CLIENTS, findClient } from './clients.ts';
import { connectClient } from './connect-client.ts';
import type { ConnectOptions } from './connect-options.ts';
import { renderReport } from './connect-report.ts';
import { connectStatus, renderStatus } from './connect-status.ts';
import { assertOptionsFit, connectWithCode, DEFAULT_SERVER } from './connect-with-code.ts';
import { disconnectClient } from './disconnect-client.ts';

/** `helmdeck connect`: writes the address of the server and a new token into the configuration of an MCP client. */
export function addConnectCommand(program: Command, deps: CliDeps): void {
  const names = CLIENTS.map(({ name }) => name).join(', ');
  const client = new Argument('[client]', 'the program');
  client.argChoices = CLIENTS.map(({ name }) => name); // for completion; `findClient` reports an unknown name
  defineCommand(program, 'connect', `connect a program to your memory: ${names}`, [
    'connect claude-code',
    'connect claude-code --write --auto-recall --auto-capture',
    'connect --status',
    'connect claude-code --write --auto-recall --space platform',
    'connect codex --write --profile all',
    'connect cursor --write --auto-recall --code 7K2M-Q9XT --server https://memory.example.com',
    'connect cursor --remove --write',
  ])
    .addArgument(client)
    .option('--write', 'change the files; without it only prints what would change')
    .option('--auto-recall', 'also add relevant facts at the start of each conversation and before prompts')
    .option('--auto-capture', 'also send conversations to the server, which proposes facts for your inbox')
    .option(
      '--space <name>',
      'with --auto-recall: read this space as well (repeatable; * for all that you have access to)',
      (name: string, earlier: string[] = []) => [...earlier, name],
    )
    .option('--ask', 'with --auto-capture: the agent is asked once, at the end of its work, what to store')
    .option('--status', 'show what is installed in which program, and when its hooks last ran')
    .option('--propose', 'what it stores waits in your inbox until you accept it')
    .option('--remove', 'remove the connection and revoke its token')
    .addOption(
      new Option('--profile <name>', 'which tools: the memory, all packs, or the corpus bridge')
        .choices(Object.keys(MCP_PROFILES))
        .default('memory'),
    )
    .option('--ttl <time>', 'lifetime of its token: 90d, 12h (default: 90d)', parseDuration)
    .option('--code <code>', 'connect with a one-time code of the Connect page instead of your own token')
    .option('--server <address>', `the server that made the code (default: ${DEFAULT_SERVER})`)
    .action(async (name: string | undefined, options: ConnectOptions, command: Command) => {
      const screen = screenOf(deps, command);
      assertOptionsFit(options, name);
      if (name === undefined) {
        const programs = await connectStatus(deps.machine, deps.now());
        return screen.result({ programs }, () => renderStatus(screen, programs, deps.now()));
      }
      const found = findClient(name);
      if (options.code !== undefined) {
        const report = await connectWithCode(deps, screen, found, options, options.code);
        return screen.result(report, () => renderReport(screen, found, report));
      }
      const serverUrl = await deps.findServer();
      if (options.remove) {
        const report = await disconnectClient(deps, screen, found, options, serverUrl);
        return screen.result(report, () => renderReport(screen, found, report));
      }
      if (serverUrl === undefined) throw noServer();
      const report = await withConnection(deps, screen, (connection) =>
        connectClient(deps, connection, found, options, serverUrl),
      );
      return screen.result(report, () => renderReport(screen, found, report));
    });
}

function noServer(): AppError {
  return new AppError('memory_unavailable', 'There is no running Helmdeck server to connect to.', {
    reason: 'not_running',
    hint: 'Start it with "helmdeck serve", or name one: "helmdeck login <address>", or HELMDECK_URL with HELMDECK_TOKEN.',
  });
}
