import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { Connection } from '../../surfaces/cli/deps.ts';
import type { MintRequest } from '../../surfaces/http/auth.ts';
import { buildServer } from '../build.ts';
import type { Config } from '../config/config.ts';
import { isInMemory } from '../config/config-values.ts';
import { adminGrant, renewing, withToken } from './cli-token.ts';

/** The server inside this process, for commands on a machine where none runs. */
export async function openEmbedded(
  config: Config,
  explicit: string | undefined,
  warn: (text: string) => void,
  grant: MintRequest = adminGrant(config),
): Promise<Connection> {
  assertLasting(config);
  // Nobody else sees this process, so where no secret is set any will do.
  const jwtSecret = config.jwtSecret ?? randomBytes(32).toString('hex');
  const server = await buildServer(explicit === undefined ? { ...config, jwtSecret } : config, {
    // Failures come back as answers; only what nobody would hear of otherwise is printed.
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
  const token = renewing(grant, async () =>
    config.authDisabled ? undefined : (explicit ?? (await server.auth.mint(grant)).token),
  );
  let closed: Promise<void> | undefined;
  return {
    embedded: true,
    async fetch(path, init = {}) {
      const headers = withToken(init, await token());
      headers.set('host', 'localhost'); // without auth, only local programs are served
      return server.app.fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    },
    close() {
      closed ??= server.close();
      return closed;
    },
  };
}

/** A fact stored under a key, or in a database, that dies with this command would be a lie. */
function assertLasting(config: Config): void {
  if (!config.memoryOn) return; // said better by the server
  const why = isInMemory(config.db)
    ? 'HELMDECK_DB=memory: lives only inside a running server, and none is running.'
    : 'No server is running, and no memory key is set: nothing could be read again.';
  if (config.memoryKey !== undefined && !isInMemory(config.db)) return;
  throw new AppError('memory_unavailable', why, {
    reason: 'ephemeral_key',
    hint: 'Run "helmdeck init" or start the server with "helmdeck serve".',
  });
}
