import type { Machine } from '../deps.ts';
import { hookRequest } from '../hook/hook-request.ts';
import { type LastRun, openHookState } from '../hook/hook-state.ts';
import { relativeTime } from '../terminal/duration.ts';
import type { Screen } from '../terminal/screen.ts';
import { renderTable } from '../terminal/table.ts';
import type { Client, Recipe } from './client.ts';
import { CLIENTS } from './clients.ts';
import { readCurrentConnection } from './current-connection.ts';
import { readConfig } from './formats/config-file.ts';

/** What is installed in one program. */
export interface ClientStatus {
  client: string;
  connected: boolean;
  address?: string;
  /** Whether its hooks are installed; absent if it can have none. */
  auto_recall?: boolean;
  /** Whether a file tells its model to recall; absent if `connect` writes no such file for it. */
  recall_lines?: boolean;
  auto_capture?: boolean;
  /** `ok`, or why its token gets no answer. */
  server?: 'ok' | 'unreachable' | 'refused';
  /** The last run of its hooks. */
  last_run?: LastRun;
  /** Why its file could not be read. */
  problem?: string;
}

const CHECK_LIMIT_MS = 2_000;

/** The status of every program that Helmdeck is installed in. */
export async function connectStatus(machine: Machine, nowMs: number): Promise<ClientStatus[]> {
  const all = await Promise.all(CLIENTS.map((client) => statusOf(client, machine, nowMs)));
  return all.filter(
    ({ connected, auto_recall, recall_lines, auto_capture, problem }) =>
      connected || auto_recall || recall_lines || auto_capture || problem !== undefined,
  );
}

async function statusOf(client: Client, machine: Machine, nowMs: number): Promise<ClientStatus> {
  const status: ClientStatus = { client: client.name, connected: false };
  try {
    const current = await readCurrentConnection(client, machine);
    const [recall, lines, capture] = await Promise.all(
      [
        client.recall.filter(({ isInstruction }) => !isInstruction),
        client.recall.filter(({ isInstruction }) => isInstruction),
        client.capture ?? [],
      ].map((recipes) => isInstalled(recipes, machine)),
    );
    const last = openHookState(machine.stateDir, nowMs).lastRun(client.name);
    return {
      ...status,
      connected: current !== undefined,
      ...(current ? { address: current.address, server: await answerOf(current) } : {}),
      ...(recall === undefined ? {} : { auto_recall: recall }),
      ...(lines === undefined ? {} : { recall_lines: lines }),
      ...(capture === undefined ? {} : { auto_capture: capture }),
      ...(last ? { last_run: last } : {}),
    };
  } catch (thrown) {
    return { ...status, problem: (thrown as Error).message };
  }
}

/** Whether one of the recipes is in its file; undefined if there are none. */
async function isInstalled(recipes: readonly Recipe[], machine: Machine): Promise<boolean | undefined> {
  let known: boolean | undefined;
  for (const recipe of recipes) {
    known ||= recipe.isInstalled((await readConfig(recipe.path(machine))) ?? '');
  }
  return known;
}

async function answerOf({ address, token }: { address: string; token?: string }) {
  const url = address.split('/api/v1/mcp')[0]!;
  try {
    const { status } = await hookRequest({ url, token }, '/api/v1/auth/session', { limitMs: CHECK_LIMIT_MS });
    return status === 200 ? 'ok' : 'refused';
  } catch {
    return 'unreachable';
  }
}

export function renderStatus(screen: Screen, programs: readonly ClientStatus[], nowMs: number): string {
  if (programs.length === 0) return 'No program is connected. "helmdeck connect <program>" shows how.';
  const onOff = (is: boolean | undefined) => (is === undefined ? '–' : is ? 'on' : 'off');
  const recalls = ({ auto_recall, recall_lines }: ClientStatus) =>
    recall_lines && !auto_recall ? 'instructions' : onOff(auto_recall ?? recall_lines);
  const columns = [
    { title: 'PROGRAM' },
    { title: 'SERVER' },
    { title: 'AUTO-RECALL' },
    { title: 'AUTO-CAPTURE' },
    { title: 'HOOKS LAST RAN', flexible: true },
  ];
  const rows = programs.map((program) => {
    const { client, server, auto_recall, auto_capture, last_run, problem } = program;
    const hasHooks = auto_recall !== undefined || auto_capture !== undefined;
    const last = last_run && `${relativeTime(last_run.at, nowMs)}: ${last_run.event}, ${last_run.outcome}`;
    return [
      client,
      problem ?? server ?? 'not connected',
      recalls(program),
      onOff(auto_capture),
      last ?? (hasHooks ? 'never' : '–'),
    ];
  });
  return renderTable(screen, columns, rows);
}
