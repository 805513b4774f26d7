import { type Command, Option } from 'commander';
import { AppError } from '../../../errors.ts';
import { withConnection } from '../ask-server.ts';
import { MCP_PROFILES } from '../commands/mcp-profiles.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps } from '../deps.ts';
import { parseDuration } from '../terminal/duration.ts';
import { CLIENTS, findClient } from './clients.ts';
import { connectClient } from './connect-client.ts';
import type { ConnectOptions } from './connect-options.ts';
import { renderReport } from './connect-report.ts';
import { disconnectClient } from './disconnect-client.ts';

/** `helmdeck connect`: gives a program its token and its address. */
export function addConnectCommand(program: Command, deps: CliDeps): void {
  const names = CLIENTS.map(({ name }) => name).join(', ');
  defineCommand(program, 'connect <client>', `connect a program to your memory: ${names}`, [
    'connect claude-code',
    'connect claude-code --write --auto-recall',
    'connect codex --write --profile all',
    'connect cursor --remove --write',
  ])
    .option('--write', 'do it; without this it only says what it would do')
    .option('--auto-recall', 'also load what matters at the start of each conversation')
    .option('--remove', 'take it out again, and revoke its token')
    .addOption(
      new Option('--profile <name>', 'which tools: the memory, all packs, or the corpus bridge')
        .choices(Object.keys(MCP_PROFILES))
        .default('memory'),
    )
    .option('--ttl <time>', 'how long its token works: 90d, 12h (default: 90d)', parseDuration)
    .action(async (name: string, options: ConnectOptions, command: Command) => {
      const screen = screenOf(deps, command);
      const client = findClient(name);
      const serverUrl = await deps.findServer();
      if (options.remove) {
        const report = await disconnectClient(deps, screen, client, options, serverUrl);
        return screen.result(report, () => renderReport(screen, client, report));
      }
      if (serverUrl === undefined) throw noServer();
      const report = await withConnection(deps, screen, (connection) =>
        connectClient(deps, connection, client, options, serverUrl),
      );
      return screen.result(report, () => renderReport(screen, client, report));
    });
}

function noServer(): AppError {
  return new AppError(
    'memory_unavailable',
    'No Helmdeck server runs here, so there is nothing to connect to.',
    {
      reason: 'not_running',
      hint: 'Start it with "helmdeck serve" in the same folder, or set HELMDECK_URL and HELMDECK_TOKEN.',
    },
  );
}
