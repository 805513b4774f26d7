import type { RunRequest, RunResult } from '../engine/engine.ts';
import type { Server } from '../server/build.ts';
import { DEFAULT_SCOPES } from '../surfaces/http/auth.ts';

/** Runs a pack as a subject directly in the engine of a server, without REST or MCP. */
export function runPack(
  server: Pick<Server, 'engine'>,
  subject: string,
  pack: string,
  input: unknown = {},
  options: Partial<RunRequest> = {},
): Promise<RunResult> {
  return server.engine.execute({
    pack,
    input,
    caller: { subject },
    source: { surface: 'test' },
    scopes: new Set(DEFAULT_SCOPES),
    ...options,
  });
}
