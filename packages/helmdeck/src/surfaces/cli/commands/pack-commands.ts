import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Job, PackResult } from '../../../client/generated/rest.ts';
import { AppError } from '../../../errors.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { counted } from '../terminal/duration.ts';
import { CommandExit, ServerError } from '../terminal/failure.ts';
import { readInput } from '../terminal/read-input.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';

interface RunOptions {
  input?: string;
  /** False with `--no-cache`. */
  cache: boolean;
  session?: string;
  packVersion?: string;
}

const JOB_POLL_MS = 250;

/** `helmdeck run`, `pack …` and `cache clear`. */
export function addPackCommands(program: Command, deps: CliDeps): void {
  withRunOptions(
    deps,
    defineCommand(program, 'run <pack>', 'run a pack and print its output', [
      'run helmdeck.memory_history --input \'{"key":"user/editor"}\'',
      'run github.list_issues --input @query.json --no-cache',
      'echo \'{"scope":"cache"}\' | helmdeck run helmdeck.memory_forget --input -',
    ]),
  );
  addPackSubcommands(program.command('pack').description('list, run, create and test packs'), deps);
  const cache = program.command('cache').description('cached results of packs');
  defineCommand(cache, 'clear [pack]', 'forget cached results of one pack, or of all', [
    'cache clear',
    'cache clear github.list_issues',
  ]).action((name: string | undefined, _options: object, command: Command) =>
    clear(deps, screenOf(deps, command), name),
  );
}

function withRunOptions(deps: CliDeps, command: Command): void {
  command
    .option('--input <json>', 'the input as JSON, @file, or - for stdin (default: {})')
    .option('--no-cache', 'run the pack even if a cached result exists')
    .option('--session <id>', 'run in this session')
    .option('--pack-version <version>', 'this version instead of the latest')
    .action((pack: string, options: RunOptions, command: Command) =>
      run(deps, screenOf(deps, command), pack, options),
    );
}

function addPackSubcommands(pack: Command, deps: CliDeps): void {
  defineCommand(pack, 'list', 'list all packs and whether you may run them', ['pack list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );
  const example = 'pack run weather.get_forecast --input \'{"place":"Oslo"}\'';
  withRunOptions(deps, defineCommand(pack, 'run <pack>', 'the same as "helmdeck run"', [example]));
  defineCommand(pack, 'new <name>', 'create a sample pack in HELMDECK_PACKS_DIR', [
    'pack new weather.get_forecast',
  ]).action(async (name: string, _options: object, command: Command) => {
    const screen = screenOf(deps, command);
    const made = await deps.newPack(name);
    await screen.result(made, () => `Wrote ${made.file}; check it with "helmdeck pack test".`);
    if (!made.served)
      screen.note(`"helmdeck serve" loads this folder only with HELMDECK_PACKS_DIR=${made.folder}`);
  });
  defineCommand(pack, 'test [pack]', 'run the examples of your own packs on a temporary server', [
    'pack test',
    'pack test weather.get_forecast',
  ]).action((name: string | undefined, _options: object, command: Command) =>
    testPacks(deps, screenOf(deps, command), name),
  );
}

async function testPacks(deps: CliDeps, screen: Screen, only: string | undefined): Promise<void> {
  const tests = await deps.testPacks(only);
  const failed = tests.filter(({ problem }) => problem !== undefined);
  await screen.result({ tests, failed: failed.length }, () =>
    tests
      .map(({ pack, example, problem }) => {
        const what = example === 0 ? pack : `${pack} example ${example}`;
        if (problem !== undefined) return `${screen.paint('red', 'failed')}  ${what}: ${printable(problem)}`;
        return `${screen.paint('green', 'ok')}      ${what}${example === 0 ? ' loads; it has no examples' : ''}`;
      })
      .join('\n'),
  );
  if (failed.length > 0) throw new CommandExit(1);
}

async function run(deps: CliDeps, screen: Screen, pack: string, options: RunOptions): Promise<void> {
  const input = await readInput(deps, options.input);
  const session = options.session === undefined ? {} : { _session_id: options.session };
  const result = await withConnection(deps, screen, async (connection) => {
    const request = {
      headers: options.cache ? undefined : { 'cache-control': 'no-cache' },
      body: { ...input, ...session },
    };
    const version = options.packVersion;
    const answer =
      version === undefined
        ? await callServer(connection, 'POST /api/v1/packs/{name}', { path: { name: pack }, ...request })
        : await callServer(connection, 'POST /api/v1/packs/{name}/{version}', {
            path: { name: pack, version },
            ...request,
          });
    return 'job_id' in answer ? followJob(screen, connection, answer) : answer;
  });
  await screen.result(result, () => JSON.stringify(result.output, null, 2));
  const { status, age_s } = result.cache ?? {};
  if (status === 'hit' || status === 'stale')
    screen.note(screen.paintNote('dim', `Cached ${age_s} s ago; --no-cache runs the pack again.`));
}

/** Waits for a job and shows its progress. */
async function followJob(screen: Screen, connection: Connection, started: Job): Promise<PackResult> {
  let job = started;
  while (job.status === 'running') {
    const { percent = 0, message = '' } = job.progress ?? {};
    screen.status(`${job.pack} … ${percent}% ${message}`);
    await sleep(JOB_POLL_MS);
    job = await callServer(connection, 'GET /api/v1/jobs/{job}', { path: { job: job.job_id } });
  }
  screen.status('');
  if (job.result) return job.result;
  throw job.error ? new ServerError(job.error) : new AppError('handler_failed', 'The job has no result.');
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const packs = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/packs', {}),
  );
  await screen.result(packs, () =>
    renderTable(
      screen,
      [
        { title: 'PACK' },
        { title: 'VERSION' },
        { title: 'YOU MAY' },
        { title: 'WHAT IT DOES', flexible: true },
      ],
      packs.map((pack) => [pack.name, pack.latest, pack.allowed ? 'yes' : 'no', pack.description]),
    ),
  );
}

async function clear(deps: CliDeps, screen: Screen, pack: string | undefined): Promise<void> {
  const scope = pack === undefined ? 'cache' : `cache:${pack}`;
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'POST /api/v1/memory/forget', { body: { scope } }),
  );
  await screen.result(answer, () => `Forgot ${counted(answer.deleted, 'cached result')}.`);
}
