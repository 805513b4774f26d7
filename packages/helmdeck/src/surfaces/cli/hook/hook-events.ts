// The events of each program, and what a hook prints for them. Programs reject output with fields they do not know.

export type HookProgram = 'claude-code' | 'codex' | 'gemini-cli';

/** What a hook does on an event: notes at the start, notes before a prompt, or new turns of the conversation to the server. */
type HookWork = 'start' | 'prompt' | 'capture';

const CLAUDE_EVENTS: Record<string, HookWork> = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  Stop: 'capture',
  PreCompact: 'capture',
  SessionEnd: 'capture',
};

export const HOOK_EVENTS: Record<HookProgram, Record<string, HookWork>> = {
  'claude-code': CLAUDE_EVENTS,
  codex: CLAUDE_EVENTS,
  'gemini-cli': {
    SessionStart: 'start',
    BeforeAgent: 'prompt',
    AfterAgent: 'capture',
    PreCompress: 'capture',
    SessionEnd: 'capture',
  },
};

/** The events after which an agent can be made to go on. */
export const ASKING_EVENTS = ['Stop', 'AfterAgent'];

/** What a program sends on stdin, as far as it is read here. */
export interface HookInput {
  session_id?: string;
  transcript_path?: string;
  cwd?: string;
  prompt?: string;
  /** The agent goes on because of a hook like this one. */
  stop_hook_active?: boolean;
}

export function workOf(program: string, event: string): HookWork | undefined {
  const events = Object.hasOwn(HOOK_EVENTS, program) ? HOOK_EVENTS[program as HookProgram] : {};
  return Object.hasOwn(events, event) ? events[event] : undefined;
}

/** Text for the model, and a line for the person. */
export function contextOutput(event: string, text: string, receipt?: string): object {
  return {
    hookSpecificOutput: { hookEventName: event, additionalContext: text },
    ...(receipt ? { systemMessage: receipt } : {}),
  };
}

/** Some programs pass it on, and keep it, as if the user had said it. */
export const QUESTION =
  'Before you finish: did the user state a preference, a convention, a decision or a correction that should hold in later conversations and is not in memory yet? If so, call memory_recall to find its key, then memory_store with one full sentence per fact; never credentials. If not, finish without mentioning this.';

/** Makes the agent go on once, to store what it learned. */
export const askOutput = (): object => ({ decision: 'block', reason: QUESTION });
