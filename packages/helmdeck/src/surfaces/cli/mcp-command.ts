import { type Command, Option } from 'commander';
import type { CliDeps } from './deps.ts';
import { proxyStdio } from './stdio-proxy.ts';

const PATHS = { all: '/api/v1/mcp', memory: '/api/v1/mcp/memory', qmd: '/api/v1/mcp/qmd' } as const;

/** `helmdeck mcp`: for clients that start a program instead of calling an address. */
export function addMcpCommand(program: Command, deps: CliDeps): void {
  program
    .command('mcp')
    .description('serve MCP over standard input and output, for clients that start programs')
    .addOption(
      new Option('--profile <name>', 'which tools to offer').choices(Object.keys(PATHS)).default('all'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ profile }: { profile: keyof typeof PATHS }) => {
      // Nothing but messages may reach standard output, so warnings are left out altogether.
      const connection = await deps.connect({ quiet: true, forAgent: true });
      const done = deps.onInterrupt(() => connection.close());
      try {
        await proxyStdio(connection, PATHS[profile], deps.terminal);
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
