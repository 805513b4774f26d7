import { homedir } from 'node:os';
import { AppError } from '../../errors.ts';
import type { CliDeps, Machine, Terminal } from '../../surfaces/cli/deps.ts';
import { createCli } from '../../surfaces/cli/program.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../surfaces/http/auth.ts';
import { type Environment, type LoadedConfig, loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-values.ts';
import { VARIABLES } from '../config/variables.ts';
import { chooseServer } from './choose-server.ts';
import { adminGrant, agentGrant } from './cli-token.ts';
import { connectLocal } from './connect.ts';
import { connectTo } from './http-connection.ts';
import { createInterruption, type Interruption } from './interruption.ts';
import { deleteLogin, readLogin, saveLogin } from './saved-login.ts';
import { selfCommand } from './self-command.ts';
import { userFolder } from './user-folder.ts';
import { VERSION } from './version.ts';

/** Entry point of the program `helmdeck`. */
export async function main(argv: string[]): Promise<void> {
  const terminal: Terminal = { in: process.stdin, out: process.stdout, err: process.stderr };
  // The reader of a pipe may close it early: `helmdeck list | head`.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (problem: NodeJS.ErrnoException) => {
      if (problem.code === 'EPIPE') process.exit(0);
    });
  const interruption = createInterruption(terminal);
  process.exitCode = await createCli(createDeps(process.env, terminal, interruption)).run(argv);
}

/** The dependencies of the commands. Modules are imported on demand, so that a command that only talks to a server starts fast. */
export function createDeps(env: Environment, terminal: Terminal, interruption: Interruption): CliDeps {
  const load = () => asUsageError(() => loadConfig(env));
  const { onInterrupt } = interruption;
  const warn = (text: string) => void terminal.err.write(`warning: ${text}\n`);
  return {
    terminal,
    version: VERSION,
    now: Date.now,
    scopes: SCOPES,
    defaultScopes: DEFAULT_SCOPES,
    onInterrupt,
    machine: machineOf(env),
    async connect({ quiet, forAgent, to }) {
      if (to) return connectTo(to);
      const chosen = await chooseServer(load(), env);
      if (chosen.kind === 'given') return connectTo(chosen.access);
      const grantOf = forAgent ? agentGrant : adminGrant;
      return connectLocal(chosen.loaded, chosen.url, quiet ? () => {} : warn, grantOf);
    },
    async findServer() {
      const chosen = await chooseServer(load(), env);
      return chosen.kind === 'given' ? chosen.access.url : chosen.url;
    },
    saveLogin: (access) => saveLogin(env, access),
    savedLogin: () => readLogin(env),
    deleteLogin: () => deleteLogin(env),
    async serve(options) {
      load();
      interruption.release(); // the server handles signals itself
      await (await import('./serve.ts')).serve(env, options, terminal);
    },
    async init(options) {
      load();
      return (await import('./init.ts')).init(env, options);
    },
    async rotateKey({ finish }) {
      load();
      const { beginRotation, finishRotation } = await import('./rotate-key.ts');
      return finish ? finishRotation(env) : beginRotation(env);
    },
    settings() {
      const { effective, warnings }: LoadedConfig = load();
      return { settings: effective, warnings };
    },
    variables: () =>
      Object.entries(VARIABLES).map(([name, { about }]) => ({ name: `HELMDECK_${name}`, about })),
    doctor: async (options) => (await import('../doctor/doctor.ts')).examine(env, options),
    findOrphanedRows: async (onProgress) =>
      (await import('../doctor/purge-command.ts')).countOrphanedRows(load().config, onProgress),
    purgeOrphanedRows: async (onProgress) =>
      (await import('../doctor/purge-command.ts')).purgeOrphanedRows(load().config, onProgress),
    backup: async (target, onProgress) =>
      (await import('../backup/backup.ts')).backupDatabase(load().config, target, onProgress, onInterrupt),
    listBackups: async (target) => (await import('../backup/backup.ts')).listBackups(load().config, target),
    migrate: async ({ from = load().config.db, to = load().config.db }, onProgress) =>
      (await import('../migrate/migrate.ts')).migrateDatabase({ from, to }, onProgress, onInterrupt),
    newPack: async (name) => (await import('../pack-commands.ts')).newPack(load().config, name),
    testPacks: async (only) => (await import('../pack-commands.ts')).testPacks(load().config, only),
    restore: async (source, options) =>
      (await import('../backup/restore.ts')).restoreDatabase(load().config, source, options, onInterrupt),
  };
}

function machineOf(environment: Environment): Machine {
  return {
    // A getter, because homedir() throws for a container user without a home, who can still run the server.
    get homeDir() {
      return homedir();
    },
    stateDir: userFolder(environment),
    workDir: process.cwd(),
    platform: process.platform,
    environment,
    launch: selfCommand(),
  };
}

/** Turns an invalid setting into a usage error. */
function asUsageError<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    throw new AppError('invalid_input', thrown.message, {
      reason: 'configuration',
      hint: '"helmdeck config --help" lists the settings.',
      cause: thrown,
    });
  }
}
