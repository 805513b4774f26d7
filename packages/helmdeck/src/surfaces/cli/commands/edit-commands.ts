import type { Command } from 'commander';
import type { Fact, FactPatch } from '../../../client/generated/rest.ts';
import { FACT_POLICY } from '../../../memory/facts/validate-fact.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { collect, parseDuration, relativeTime } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** `helmdeck renew` and `tag`: changes to a fact that create no new version. */
export function addEditCommands(program: Command, deps: CliDeps): void {
  defineCommand(program, 'renew <key>', 'keep a fact longer, without a new version', [
    'renew user/editor',
    'renew deploy/target --ttl 30d',
  ])
    .option(
      '--ttl <time>',
      'lifetime from now: 90d, 12h (default: 90d, or its previous lifetime if that is longer)',
      parseDuration,
    )
    .action((key: string, options: { ttl?: number }, command: Command) =>
      renew(deps, screenOf(deps, command), key, options.ttl),
    );

  defineCommand(program, 'tag <key> [tags...]', 'add tags to a fact and remove others; prints its tags', [
    'tag user/editor tools important',
    'tag user/editor --remove important',
    'tag user/editor',
  ])
    .option('--remove <tag>', 'remove this tag; may be repeated', collect)
    .action((key: string, tags: string[], options: { remove?: string[] }, command: Command) =>
      tag(deps, screenOf(deps, command), key, { add: tags, remove: options.remove ?? [] }),
    );
}

async function renew(deps: CliDeps, screen: Screen, key: string, ttlSeconds?: number): Promise<void> {
  const fact = await withConnection(deps, screen, async (connection) =>
    patch(connection, key, { ttl_seconds: ttlSeconds ?? (await longerTtlSeconds(connection, key)) }),
  );
  await screen.result(fact, () => {
    const until = screen.paint('dim', `expires ${relativeTime(fact.expires_at, deps.now())}`);
    return `Renewed ${screen.paint('bold', printable(fact.key))}  ${until}`;
  });
}

/** Renewing without a lifetime must never shorten that of a fact. */
async function longerTtlSeconds(connection: Connection, key: string): Promise<number> {
  const { updated_at, confirmed_at, expires_at } = await callServer(
    connection,
    'GET /api/v1/memory/facts/{key}',
    {
      path: { key },
    },
  );
  const startMs = Math.max(Date.parse(updated_at), Date.parse(confirmed_at));
  const previous = Math.ceil((Date.parse(expires_at) - startMs) / 1000);
  return Math.min(FACT_POLICY.maxTtlSeconds, Math.max(FACT_POLICY.defaultTtlSeconds, previous));
}

async function tag(
  deps: CliDeps,
  screen: Screen,
  key: string,
  changes: { add: readonly string[]; remove: readonly string[] },
): Promise<void> {
  const fact = await withConnection(deps, screen, async (connection) => {
    const before = await callServer(connection, 'GET /api/v1/memory/facts/{key}', {
      path: { key },
    });
    const added = [...new Set([...before.tags, ...changes.add])];
    const tags = added.filter((each) => !changes.remove.includes(each));
    const isSame = tags.length === before.tags.length && tags.every((each, at) => each === before.tags[at]);
    return isSame ? before : patch(connection, key, { tags });
  });
  await screen.result(fact, () =>
    fact.tags.length === 0 ? screen.paint('dim', 'No tags.') : fact.tags.map(printable).join('\n'),
  );
}

function patch(connection: Connection, key: string, body: FactPatch): Promise<Fact> {
  return callServer(connection, 'PATCH /api/v1/memory/facts/{key}', { path: { key }, body });
}
