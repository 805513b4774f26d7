import type { Client } from '../connect/client.ts';
import { readCurrentConnection } from '../connect/current-connection.ts';
import type { HookProgram } from './hook-events.ts';
import type { FindServer } from './run-hook.ts';

/** Loaded one by one: the others would cost time. */
const CLIENTS: Record<HookProgram, () => Promise<Client>> = {
  'claude-code': async () => (await import('../connect/clients/claude-code.ts')).claudeCode,
  codex: async () => (await import('../connect/clients/codex.ts')).codex,
  'gemini-cli': async () => (await import('../connect/clients/gemini-cli.ts')).geminiCli,
};

/** The server in the configuration of the program, where `helmdeck connect` wrote it. */
export const findConnectedServer: FindServer = async (program, machine) => {
  const current = await readCurrentConnection(await CLIENTS[program](), machine);
  return current && { url: current.address.split('/api/v1/mcp')[0]!, token: current.token };
};
