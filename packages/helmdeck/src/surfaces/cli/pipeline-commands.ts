import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Pipeline } from '../../engine/pipeline/definition.ts';
import type { StartedRun } from '../../engine/pipeline/pipeline-runs.ts';
import { hasEnded, type PipelineRun } from '../../engine/pipeline/run-state.ts';
import { askJson, postJson, withConnection } from './ask-server.ts';
import { defineCommand, screenOf } from './define-command.ts';
import type { CliDeps, Connection } from './deps.ts';
import { Outcome } from './failure.ts';
import { readInput } from './read-input.ts';
import type { Screen } from './screen.ts';
import { printable, renderTable } from './table.ts';

const LOOK_MS = 250;

export function addPipelineCommands(program: Command, deps: CliDeps): void {
  const pipeline = program.command('pipeline').description('steps of packs that run one after another');
  defineCommand(pipeline, 'list', 'built-in pipelines and your own', ['pipeline list']).action(
    (_options: object, command: Command) => list(deps, screenOf(deps, command)),
  );
  defineCommand(pipeline, 'run <id>', 'start a run', [
    'pipeline run builtin.issues-digest --input \'{"repo":"nodejs/node"}\' --follow',
  ])
    .option('--input <json>', 'the inputs as JSON, @file, or - for stdin (default: {})')
    .option('--follow', 'wait until it ends and tell each step')
    .action((id: string, options: { input?: string; follow?: boolean }, command: Command) =>
      run(deps, screenOf(deps, command), id, options),
    );
}

async function list(deps: CliDeps, screen: Screen): Promise<void> {
  const pipelines = await withConnection(deps, screen, (connection) =>
    askJson<Pipeline[]>(connection, '/api/v1/pipelines'),
  );
  await screen.result(pipelines, () =>
    renderTable(
      screen,
      [{ title: 'PIPELINE' }, { title: 'STEPS' }, { title: 'WHAT IT DOES', flexible: true }],
      pipelines.map(({ id, name, description, steps }) => [id, String(steps.length), description ?? name]),
    ),
  );
}

async function run(
  deps: CliDeps,
  screen: Screen,
  id: string,
  options: { input?: string; follow?: boolean },
): Promise<void> {
  const inputs = await readInput(deps, options.input);
  const path = `/api/v1/pipelines/${encodeURIComponent(id)}/run`;
  await withConnection(deps, screen, async (connection) => {
    const started = await postJson<StartedRun>(connection, path, { inputs });
    if (!options.follow) {
      await screen.result(started, () => started.run_id);
      return;
    }
    const ended = await follow(screen, connection, started);
    await screen.result(ended, () => JSON.stringify(ended.steps.at(-1)?.output ?? null, null, 2));
    if (ended.status !== 'succeeded') throw new Outcome(1);
  });
}

/** Looks again and again, and says what became of each step. */
async function follow(screen: Screen, connection: Connection, started: StartedRun): Promise<PipelineRun> {
  const told = new Set<string>();
  for (;;) {
    const state = await askJson<PipelineRun>(connection, `/api/v1/pipelines/runs/${started.run_id}`);
    for (const { step_id, pack, status, error, progress } of state.steps) {
      const last = progress?.at(-1);
      if (status === 'running')
        screen.status(`${step_id} … ${last?.pct ?? 0}% ${printable(last?.message ?? '')}`);
      if (!hasEnded(status) || told.has(step_id)) continue;
      told.add(step_id);
      screen.status('');
      screen.note(
        `${status.padEnd(10)} ${step_id} (${pack})${error === undefined ? '' : `: ${printable(error)}`}`,
      );
    }
    if (hasEnded(state.status)) return state;
    await sleep(LOOK_MS);
  }
}
