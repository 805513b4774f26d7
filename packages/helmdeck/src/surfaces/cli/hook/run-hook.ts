import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Machine } from '../deps.ts';
import {
  ASKING_EVENTS,
  askOutput,
  contextOutput,
  type HookInput,
  type HookProgram,
  workOf,
} from './hook-events.ts';
import { type HookAnswer, type HookServer, hookRequest } from './hook-request.ts';
import { type HookOutcome, type HookState, openHookState } from './hook-state.ts';
import { projectOf } from './project-name.ts';
import { newTurns, saidByUser, type Turn } from './transcript.ts';

// One run of a hook. It loads neither the server nor the commands, because a program waits for it before every prompt, and
// it never fails: without an answer in time the conversation goes on as if there were no hook.

export interface HookCall {
  program: string;
  event: string;
  /** What the program sent on stdin. */
  input: string;
  /** Let the agent be asked, once in a conversation, what to store. */
  ask: boolean;
  /** The memories that notes are from; absent: one's own. */
  spaces?: string;
}

const RECALL_LIMIT_MS = 500;
const CAPTURE_LIMIT_MS = 1_500;
const MAX_PROMPT_CHARS = 20_000;
const START_NOTES_BYTES = 4_000;
const MAX_TURNS_PER_REQUEST = 200;
const MAX_CHARS_PER_REQUEST = 400_000;
const MAX_SESSION_CHARS = 200;

/** Finds the server that the program of a hook is connected to; undefined if it is not. */
export type FindServer = (program: HookProgram, machine: Machine) => Promise<HookServer | undefined>;

/** What the hook prints, and what came of it. */
interface HookResult {
  output?: object;
  outcome: HookOutcome;
  isUnknownSpace?: boolean;
}

/** Runs a hook; returns what it prints, which is nothing unless there is something to say. */
export async function runHook(
  call: HookCall,
  machine: Machine,
  nowMs: number,
  findServer: FindServer,
): Promise<string> {
  const work = workOf(call.program, call.event);
  if (work === undefined) return '';
  const state = openHookState(machine.stateDir, nowMs);
  const { output, outcome } = await resultOf(call, work, machine, state, findServer).catch(
    (): HookResult => ({ outcome: 'unreachable' }),
  );
  state.saveLastRun(call.program, { event: call.event, at: new Date(nowMs).toISOString(), outcome });
  return output === undefined ? '' : `${JSON.stringify(output)}\n`;
}

async function resultOf(
  { program, event, input: text, ask, spaces }: HookCall,
  work: NonNullable<ReturnType<typeof workOf>>,
  machine: Machine,
  state: HookState,
  findServer: FindServer,
): Promise<HookResult> {
  const input = inputIn(text);
  if (!input) return { outcome: 'unreadable' };
  const server = await findServer(program as HookProgram, machine);
  if (!server) return { outcome: 'not connected' };
  const folder = typeof input.cwd === 'string' ? input.cwd : machine.workDir;
  const about = {
    project: projectOf(folder, machine.homeDir)?.name,
    session_id:
      typeof input.session_id === 'string' ? input.session_id.slice(0, MAX_SESSION_CHARS) : undefined,
  };
  if (work === 'capture') return capture(server, input, about, state, ask && ASKING_EVENTS.includes(event));
  const notes = (from: About) =>
    work === 'start'
      ? startNotes(server, event, basename(folder), from, state)
      : promptNotes(server, event, input.prompt, from, state);
  const found = await notes({ ...about, ...(spaces === undefined ? {} : { spaces }) });
  // One of the spaces is gone, or no longer granted: notes of one's own memory still help.
  return spaces !== undefined && found.isUnknownSpace ? notes(about) : found;
}

function inputIn(text: string): HookInput | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the server is told about the conversation. */
interface About {
  project?: string;
  session_id?: string;
  spaces?: string;
}

async function startNotes(
  server: HookServer,
  event: string,
  folder: string,
  about: About,
  state: HookState,
): Promise<HookResult> {
  const query = new URLSearchParams({ folder, max_bytes: String(START_NOTES_BYTES) });
  for (const [name, value] of Object.entries(about)) if (value) query.set(name, value);
  const path = `/api/v1/memory/start-notes?${query}`;
  const answer = await hookRequest(server, path, { limitMs: RECALL_LIMIT_MS });
  // The conversation begins, or lost what it was told before.
  if (about.session_id && answer.status === 200) state.saveTold(about.session_id, toldIn(answer));
  return said(event, answer);
}

async function promptNotes(
  server: HookServer,
  event: string,
  given: unknown,
  about: About,
  state: HookState,
): Promise<HookResult> {
  const prompt = typeof given === 'string' ? saidByUser(given) : '';
  if (prompt === '') return { outcome: 'silent' };
  // The server reads the beginning and the end of a long prompt.
  const short =
    prompt.length <= MAX_PROMPT_CHARS
      ? prompt
      : `${prompt.slice(0, MAX_PROMPT_CHARS / 2)}\n${prompt.slice(-MAX_PROMPT_CHARS / 2)}`;
  const told = about.session_id ? state.told(about.session_id) : [];
  // A server that gave no marks may not take any.
  const body = { prompt: short.toWellFormed(), ...about, ...(told.length > 0 ? { told } : {}) };
  const path = '/api/v1/memory/prompt-notes';
  const answer = await hookRequest(server, path, { body, limitMs: RECALL_LIMIT_MS });
  const added = toldIn(answer);
  if (about.session_id && added.length > 0) state.saveTold(about.session_id, [...told, ...added]);
  return said(event, answer);
}

/** The marks of what an answer tells. */
function toldIn({ status, body }: HookAnswer): string[] {
  const { told } = (body ?? {}) as { told?: unknown };
  const isMarks = status === 200 && Array.isArray(told) && told.every((mark) => typeof mark === 'string');
  return isMarks ? told : [];
}

function said(event: string, { status, body }: HookAnswer): HookResult {
  if (status !== 200) {
    const { error } = (body ?? {}) as { error?: unknown };
    return { outcome: 'refused', isUnknownSpace: error === 'unknown_space' };
  }
  const { text, receipt } = (body ?? {}) as { text?: unknown; receipt?: unknown };
  if (typeof text !== 'string' || text === '') return { outcome: 'silent' };
  const line = typeof receipt === 'string' ? receipt : undefined;
  return { output: contextOutput(event, text, line), outcome: 'said' };
}

async function capture(
  server: HookServer,
  input: HookInput,
  about: About,
  state: HookState,
  mayAsk: boolean,
): Promise<HookResult> {
  const path = input.transcript_path;
  if (typeof path !== 'string') return { outcome: 'silent' };
  const before = state.transcript(path);
  const read = readTurns(path, before.offset);
  // A conversation without a word has no transcript.
  if (!read) return { outcome: existsSync(path) ? 'unreadable' : 'silent' };
  const { turns, offset } = read;
  const endMs = performance.now() + CAPTURE_LIMIT_MS;
  for (const part of inRequests(turns)) {
    const limitMs = endMs - performance.now();
    const body = { turns: part, ...about };
    const { status } = await hookRequest(server, '/api/v1/memory/harvest', { body, limitMs });
    // Not sent: the next hook tries again. A server without this route answers 404.
    if (status < 200 || status > 299) return { outcome: 'refused' };
  }
  const isAsking =
    mayAsk && !before.asked && input.stop_hook_active !== true && turns.some(({ role }) => role === 'user');
  const asked = before.asked || isAsking ? { asked: true as const } : {};
  if (offset !== before.offset || isAsking) state.saveTranscript(path, { offset, ...asked });
  if (isAsking) return { output: askOutput(), outcome: 'asked' };
  return { outcome: turns.length > 0 ? 'sent' : 'silent' };
}

function readTurns(path: string, offset: number) {
  try {
    return newTurns(path, offset);
  } catch {
    return undefined;
  }
}

/** Turns in parts that fit into a request. */
function* inRequests(turns: readonly Turn[]): Generator<Turn[]> {
  let part: Turn[] = [];
  let chars = 0;
  for (const turn of turns) {
    if (part.length === MAX_TURNS_PER_REQUEST || chars + turn.text.length > MAX_CHARS_PER_REQUEST) {
      yield part;
      part = [];
      chars = 0;
    }
    part.push(turn);
    chars += turn.text.length;
  }
  if (part.length > 0) yield part;
}
