import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import type { Connection } from '../../surfaces/cli/deps.ts';
import type { MintRequest } from '../../surfaces/http/auth.ts';
import { buildServer } from '../build.ts';
import type { Config } from '../config/config.ts';
import { isFile, isInMemory } from '../config/config-values.ts';
import { adminGrant, renewingToken } from './cli-token.ts';
import { withToken } from './http-connection.ts';

/** Runs the server inside this process, without a socket, for commands on a machine where no server runs. */
export async function openEmbedded(
  config: Config,
  explicit: string | undefined,
  warn: (text: string) => void,
  grant: MintRequest = adminGrant(config),
): Promise<Connection> {
  assertPersistent(config);
  const isNew = isFile(config.db) && !existsSync(config.db);
  // Tokens never leave this process, so a random secret will do if none is set.
  const jwtSecret = config.jwtSecret ?? randomBytes(32).toString('hex');
  const server = await buildServer(explicit === undefined ? { ...config, jwtSecret } : config, {
    // Errors are returned in responses; only warnings would be lost, so they are printed.
    log: {
      isEnabled: () => false,
      debug: () => {},
      info: () => {},
      warn: (_fields, message) => warn(message),
      error: () => {},
    },
    surface: 'cli',
  });
  if (server.memoryProblem) {
    await server.close();
    throw server.memoryProblem;
  }
  if (isNew) warn(`there was no database; a new, empty memory is begun in ${resolve(config.db)}`);
  const token = renewingToken(grant, async () =>
    config.authDisabled ? undefined : (explicit ?? (await server.auth.mint(grant)).token),
  );
  let closed: Promise<void> | undefined;
  return {
    embedded: true,
    async fetch(path, init = {}) {
      const headers = withToken(init, await token());
      headers.set('host', 'localhost'); // with auth disabled, the server accepts local hosts only
      return server.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    close() {
      closed ??= server.close();
      return closed;
    },
  };
}

/** Throws if facts stored by this command would be lost when it ends: with a database in RAM or an ephemeral key. */
function assertPersistent(config: Config): void {
  if (!config.memoryOn) return; // the server reports this itself
  if (config.memoryKey !== undefined && !isInMemory(config.db)) return;
  const message = isInMemory(config.db)
    ? 'HELMDECK_DB=memory: exists only inside a running server, and no server is running.'
    : `No server is running on ${config.dataDir} and no memory key is set, so stored data could not be read again.`;
  throw new AppError('memory_unavailable', message, {
    reason: 'ephemeral_key',
    hint: 'Run this in the folder of your memory, or name its server: "helmdeck login <address>", or HELMDECK_URL with HELMDECK_TOKEN. "helmdeck serve --init" begins a new memory here.',
  });
}
