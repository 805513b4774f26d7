import { type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';
import { proxyStdio } from '../stdio-proxy.ts';
import { MCP_PROFILES, type McpProfile } from './mcp-profiles.ts';

/** `helmdeck mcp`: for clients that start a program instead of calling an address. */
export function addMcpCommand(program: Command, deps: CliDeps): void {
  program
    .command('mcp')
    .description('serve MCP over standard input and output, for clients that start programs')
    .addOption(
      new Option('--profile <name>', 'which tools to offer')
        .choices(Object.keys(MCP_PROFILES))
        .default('all'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ profile }: { profile: McpProfile }) => {
      // Nothing but messages may reach standard output, so warnings are left out altogether.
      const connection = await deps.connect({ quiet: true, forAgent: true });
      const done = deps.onInterrupt(() => connection.close());
      try {
        await proxyStdio(connection, MCP_PROFILES[profile].path, deps.terminal);
      } finally {
        await connection.close();
        done();
      }
    });
}

const EXAMPLES = `
It talks to HELMDECK_URL with HELMDECK_TOKEN, or to the server on this machine,
or opens the database itself when none runs. It ends when its input does.

Examples:
  $ helmdeck mcp
  $ HELMDECK_URL=https://memory.example.com HELMDECK_TOKEN=… helmdeck mcp --profile memory`;
