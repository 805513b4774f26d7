import type { ClientFile, Recipe } from './client.ts';
import { commandLine } from './event-hook.ts';
import { type JsonPath, readAt, removeWithParents, setAt } from './formats/json-text.ts';

const AT: JsonPath = ['hooks', 'SessionStart'];
const wordsOf = (client: string) => ['context', '--client', client, '--hook'];
const withSpaces = (client: string, spaces: string | undefined) =>
  spaces === undefined ? wordsOf(client) : [...wordsOf(client), '--spaces', spaces];
/** Whether a command is one of ours for this client. */
const isOurs = (client: string, command: string | undefined) =>
  command?.replace(/ --spaces \S+$/, '').endsWith(wordsOf(client).join(' ')) === true;

interface HookGroup {
  hooks?: { command?: string }[];
}

/** A SessionStart hook: a command that the client runs when a conversation begins and whose output goes to the model. */
export function sessionHook(
  client: string,
  path: ClientFile['path'],
  { matcher, timeout }: { matcher: string; timeout: number },
): Recipe {
  const placeIn = (text: string) => {
    const groups = readAt(text, AT);
    return Array.isArray(groups)
      ? groups.findIndex(({ hooks = [] }: HookGroup) => hooks.some(({ command }) => isOurs(client, command)))
      : -1;
  };
  return {
    path,
    isInstalled: (text) => placeIn(text) >= 0,
    install(text, machine, { spaces } = {}) {
      const groups = readAt(text, AT);
      const place = placeIn(text);
      const command = commandLine(machine, withSpaces(client, spaces));
      const group = { matcher, hooks: [{ type: 'command', command, timeout }] };
      const end = Array.isArray(groups) ? groups.length : 0;
      return setAt(text, [...AT, place < 0 ? end : place], group);
    },
    remove(text, original) {
      const place = placeIn(text);
      return place < 0 ? text : removeWithParents(text, [...AT, place], original);
    },
  };
}

const COPILOT_AT: JsonPath = ['hooks', 'sessionStart'];
const COPILOT_TIMEOUT_SECONDS = 15;

/** The hook of Copilot CLI, which reads every file in its folder of hooks, each with a version. */
export function copilotHook(client: string, path: ClientFile['path']): Recipe {
  const placeIn = (text: string) => {
    const hooks = readAt(text, COPILOT_AT);
    return Array.isArray(hooks) ? hooks.findIndex(({ bash }: { bash?: string }) => isOurs(client, bash)) : -1;
  };
  return {
    path,
    isInstalled: (text) => placeIn(text) >= 0,
    install(text, machine, { spaces } = {}) {
      const command = commandLine(machine, withSpaces(client, spaces));
      const hook = {
        type: 'command',
        bash: command,
        powershell: command,
        timeoutSec: COPILOT_TIMEOUT_SECONDS,
      };
      const hooks = readAt(text, COPILOT_AT);
      const place = placeIn(text);
      const versioned = readAt(text, ['version']) === undefined ? setAt(text, ['version'], 1) : text;
      const end = Array.isArray(hooks) ? hooks.length : 0;
      return setAt(versioned, [...COPILOT_AT, place < 0 ? end : place], hook);
    },
    remove(text, original) {
      const place = placeIn(text);
      if (place < 0) return text;
      const left = removeWithParents(text, [...COPILOT_AT, place], original);
      const isFileOfUser = original.trim() !== '';
      const keepsVersion = isFileOfUser
        ? readAt(original, ['version']) !== undefined
        : readAt(left, ['hooks']) !== undefined;
      return keepsVersion ? left : removeWithParents(left, ['version'], original);
    },
  };
}
