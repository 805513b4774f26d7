import { type Command, Option } from 'commander';
import type { CliDeps } from '../deps.ts';
import { withConnectionTo } from '../server-request.ts';
import { proxyStdio } from '../stdio-proxy.ts';
import { MCP_PROFILES, type McpProfile } from './mcp-profiles.ts';

/** `helmdeck mcp`: MCP over stdio, for clients that start a program instead of connecting to an address. */
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
      // `quiet`, because only messages may reach standard output.
      await withConnectionTo(deps, { quiet: true, forAgent: true }, (connection) =>
        proxyStdio(connection, MCP_PROFILES[profile].path, deps.terminal),
      );
    });
}

const EXAMPLES = `
It uses HELMDECK_URL with HELMDECK_TOKEN, or the server on this machine,
or opens the database directly if none runs. It ends at the end of its input.

Examples:
  $ helmdeck mcp
  $ HELMDECK_URL=https://memory.example.com HELMDECK_TOKEN=… helmdeck mcp --profile memory`;
