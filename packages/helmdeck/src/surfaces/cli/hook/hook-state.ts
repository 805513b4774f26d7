import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// What hooks remember between two runs, in files of this user: how far each transcript was sent, whether its agent was
// asked, what each conversation was told (as marks without a text), and when each program last spoke. Losing it sends a
// turn or tells a fact twice, no more.

export interface TranscriptState {
  offset: number;
  /** The agent was asked what to store. */
  asked?: true;
}

/** The last run of a program's hook. */
export interface LastRun {
  event: string;
  at: string;
  outcome: HookOutcome;
}

/**
 * `unreachable`: no answer in time; `refused`: an error status, such as that of a revoked token; `unreadable`: the program
 * sent no JSON, or its transcript cannot be read.
 */
export type HookOutcome =
  | 'said'
  | 'silent'
  | 'sent'
  | 'asked'
  | 'unreachable'
  | 'refused'
  | 'unreadable'
  | 'not connected';

export interface HookState {
  transcript(path: string): TranscriptState;
  saveTranscript(path: string, state: TranscriptState): void;
  /** Marks of what the conversation was told. */
  told(session: string): string[];
  saveTold(session: string, marks: readonly string[]): void;
  lastRun(program: string): LastRun | undefined;
  saveLastRun(program: string, run: LastRun): void;
}

/** Programs delete their transcripts after a month. */
const MAX_AGE_MS = 40 * 86_400_000;
/** As many as a request may have. */
const MAX_TOLD = 500;

/** Without a folder for state, as in many containers, nothing is remembered. */
export function openHookState(stateDir: string | undefined, nowMs: number): HookState {
  const folder = stateDir === undefined ? undefined : join(stateDir, 'hooks');
  const nameOf = (type: 'transcript' | 'session', id: string) =>
    `${type}-${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;

  function read<T>(name: string): T | undefined {
    try {
      return folder === undefined ? undefined : (JSON.parse(readFileSync(join(folder, name), 'utf8')) as T);
    } catch {
      return undefined;
    }
  }

  function write(name: string, value: object): void {
    if (folder === undefined) return;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, name);
      const unique = `${file}.${process.pid}`;
      writeFileSync(unique, JSON.stringify(value), { mode: 0o600 });
      renameSync(unique, file);
    } catch {
      // A full or read-only disk must not hold up the conversation.
    }
  }

  function removeOld(): void {
    if (folder === undefined) return;
    try {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        if (nowMs - statSync(file).mtimeMs > MAX_AGE_MS) rmSync(file, { force: true });
      }
    } catch {
      // Another hook may have removed it first.
    }
  }

  return {
    transcript: (path) => read<TranscriptState>(nameOf('transcript', path)) ?? { offset: 0 },
    saveTranscript(path, state) {
      write(nameOf('transcript', path), state);
      removeOld();
    },
    told: (session) => read<{ told: string[] }>(nameOf('session', session))?.told ?? [],
    saveTold(session, marks) {
      write(nameOf('session', session), { told: marks.slice(-MAX_TOLD) });
      removeOld();
    },
    lastRun: (program) => read<LastRun>(`${program}.json`),
    saveLastRun: (program, run) => write(`${program}.json`, run),
  };
}
