import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { PipelineInput, PipelineRun, StartedRun } from '../../../client/generated/rest.ts';
import { hasEnded } from '../../../engine/pipeline/run-state.ts';
import { defineCommand, screenOf } from '../define-command.ts';
import type { CliDeps, Connection } from '../deps.ts';
import { callServer, withConnection } from '../server-request.ts';
import { CommandExit } from '../terminal/failure.ts';
import { readJsonFile } from '../terminal/files.ts';
import { readInput } from '../terminal/read-input.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable, renderTable } from '../terminal/table.ts';

const RUN_POLL_MS = 250;

/** `helmdeck pipeline …`: list, define, delete, run, resume and cancel. */
export function addPipelineCommands(program: Command, deps: CliDeps): void {
  const pipeline = program.command('pipeline').description('run packs one after another');
  defineCommand(pipeline, 'list', 'list built-in pipelines and your own', ['pipeline list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );
  defineCommand(pipeline, 'define <file>', 'define a pipeline from a JSON file; - reads stdin', [
    'pipeline define nightly.json',
    'pipeline define nightly.json --replace pipe_0123456789abcdef',
  ])
    .option('--replace <id>', 'change this pipeline instead of creating one')
    .action((file: string, options: { replace?: string }, command: Command) =>
      define(deps, screenOf(deps, command), file, options.replace),
    );
  defineCommand(pipeline, 'delete <id>', 'delete a pipeline of your own; its runs stay', [
    'pipeline delete pipe_0123456789abcdef',
  ]).action((id: string, _options: object, command: Command) => remove(deps, screenOf(deps, command), id));
  defineCommand(pipeline, 'run <id>', 'start a run', [
    'pipeline run builtin.issues-digest --input \'{"repo":"nodejs/node"}\' --follow',
  ])
    .option('--input <json>', 'the inputs as JSON, @file, or - for stdin (default: {})')
    .option('--follow', 'wait until it ends and print each step')
    .action((id: string, options: { input?: string; follow?: boolean }, command: Command) =>
      run(deps, screenOf(deps, command), id, options),
    );
  defineCommand(pipeline, 'runs [id]', 'list your latest runs of one pipeline, or of all', [
    'pipeline runs',
    'pipeline runs builtin.issues-digest',
  ]).action((id: string | undefined, _options: object, command: Command) =>
    listRuns(deps, screenOf(deps, command), id),
  );
  defineCommand(
    pipeline,
    'resume <run>',
    'continue a failed or cancelled run with the first step that did not succeed',
    ['pipeline resume run_0123456789abcdef --follow'],
  )
    .option('--follow', 'wait until it ends and print each step')
    .action((id: string, options: { follow?: boolean }, command: Command) =>
      begin(
        deps,
        screenOf(deps, command),
        (connection) =>
          callServer(connection, 'POST /api/v1/pipelines/runs/{run}/resume', { path: { run: id } }),
        options.follow,
      ),
    );
  defineCommand(pipeline, 'cancel <run>', 'cancel a run', ['pipeline cancel run_0123456789abcdef']).action(
    (id: string, _options: object, command: Command) => cancel(deps, screenOf(deps, command), id),
  );
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const pipelines = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'GET /api/v1/pipelines', {}),
  );
  await screen.result(pipelines, () =>
    renderTable(
      screen,
      [{ title: 'PIPELINE' }, { title: 'STEPS' }, { title: 'WHAT IT DOES', flexible: true }],
      pipelines.map(({ id, name, description, steps }) => [id, String(steps.length), description ?? name]),
    ),
  );
}

async function define(
  deps: CliDeps,
  screen: Screen,
  file: string,
  replaced: string | undefined,
): Promise<void> {
  const body = (await readJsonFile(file, deps.terminal.in)) as PipelineInput; // the server checks it
  const pipeline = await withConnection(deps, screen, (connection) =>
    replaced === undefined
      ? callServer(connection, 'POST /api/v1/pipelines', { body })
      : callServer(connection, 'PUT /api/v1/pipelines/{pipeline}', { path: { pipeline: replaced }, body }),
  );
  await screen.result(pipeline, () => pipeline.id);
}

async function remove(deps: CliDeps, screen: Screen, id: string): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'DELETE /api/v1/pipelines/{pipeline}', { path: { pipeline: id } }),
  );
  await screen.result(answer, () => `Deleted ${printable(id)}.`);
}

async function run(
  deps: CliDeps,
  screen: Screen,
  id: string,
  options: { input?: string; follow?: boolean },
): Promise<void> {
  const inputs = await readInput(deps, options.input);
  const start = (connection: Connection) =>
    callServer(connection, 'POST /api/v1/pipelines/{pipeline}/run', {
      path: { pipeline: id },
      body: { inputs: { ...inputs } },
    });
  await begin(deps, screen, start, options.follow);
}

/** Starts or resumes a run and, with `follow`, waits for its end. */
async function begin(
  deps: CliDeps,
  screen: Screen,
  start: (connection: Connection) => Promise<StartedRun>,
  follow = false,
): Promise<void> {
  await withConnection(deps, screen, async (connection) => {
    const started = await start(connection);
    if (!follow && !connection.embedded) {
      await screen.result(started, () => started.run_id);
      return;
    }
    const ended = await followRun(screen, connection, started);
    const { output, output_withheld } = ended.steps.at(-1) ?? {};
    // A run without an output, for instance a failed one, prints nothing on stdout; its steps were reported on stderr.
    if (screen.json || output !== undefined)
      await screen.result(ended, () => JSON.stringify(output, null, 2));
    if (output_withheld)
      screen.note('The last output was not stored: it is too large, or contains a credential.');
    if (ended.status === 'succeeded') return;
    screen.note(`The run ${ended.status}: "helmdeck pipeline resume ${started.run_id}" continues it.`);
    throw new CommandExit(1);
  });
}

async function listRuns(deps: CliDeps, screen: Screen, pipeline: string | undefined): Promise<void> {
  const answer = await withConnection(deps, screen, (connection) =>
    pipeline === undefined
      ? callServer(connection, 'GET /api/v1/pipeline-runs', {})
      : callServer(connection, 'GET /api/v1/pipelines/{pipeline}/runs', { path: { pipeline } }),
  );
  await screen.result(answer, () =>
    renderTable(
      screen,
      [
        { title: 'RUN' },
        { title: 'PIPELINE' },
        { title: 'STATUS' },
        { title: 'STARTED' },
        { title: 'WHY', flexible: true },
      ],
      answer.runs.map(({ id, pipeline_id, status, started_at, error }) => [
        id,
        pipeline_id,
        status,
        started_at,
        printable(error ?? ''),
      ]),
    ),
  );
}

async function cancel(deps: CliDeps, screen: Screen, id: string): Promise<void> {
  const run = await withConnection(deps, screen, (connection) =>
    callServer(connection, 'POST /api/v1/pipelines/runs/{run}/cancel', { path: { run: id } }),
  );
  await screen.result(run, () => run.status);
}

/** Polls a run until it ends and prints the result of each step. */
async function followRun(screen: Screen, connection: Connection, started: StartedRun): Promise<PipelineRun> {
  const printed = new Set<string>();
  for (;;) {
    const path = { run: started.run_id };
    const state = await callServer(connection, 'GET /api/v1/pipelines/runs/{run}', { path });
    for (const { step_id, pack, status, error, progress } of state.steps) {
      const last = progress?.at(-1);
      if (status === 'running')
        screen.status(`${step_id} … ${last?.pct ?? 0}% ${printable(last?.message ?? '')}`);
      if (!hasEnded(status) || printed.has(step_id)) continue;
      printed.add(step_id);
      screen.status('');
      screen.note(
        `${status.padEnd(10)} ${step_id} (${pack})${error === undefined ? '' : `: ${printable(error)}`}`,
      );
    }
    if (hasEnded(state.status)) return state;
    await sleep(RUN_POLL_MS);
  }
}
