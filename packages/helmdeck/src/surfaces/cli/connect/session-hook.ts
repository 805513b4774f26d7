import type { Machine } from '../deps.ts';
import type { ClientFile, RecallRecipe } from './client.ts';
import { type JsonPath, readAt, removeWithParents, setAt } from './formats/json-text.ts';

const AT: JsonPath = ['hooks', 'SessionStart'];

interface HookGroup {
  hooks?: { command?: string }[];
}

/** A SessionStart hook: a command that the client runs when a conversation begins and whose output goes to the model. */
export function sessionHook(
  client: string,
  path: ClientFile['path'],
  { matcher, timeout }: { matcher: string; timeout: number },
): RecallRecipe {
  const words = ['context', '--client', client, '--hook'];
  const isOurs = ({ hooks = [] }: HookGroup) =>
    hooks.some(({ command }) => command?.endsWith(words.join(' ')));
  const placeIn = (text: string) => {
    const groups = readAt(text, AT);
    return Array.isArray(groups) ? groups.findIndex((group: HookGroup) => isOurs(group)) : -1;
  };
  return {
    path,
    install(text, machine) {
      const groups = readAt(text, AT);
      const place = placeIn(text);
      const group = { matcher, hooks: [{ type: 'command', command: commandLine(machine, words), timeout }] };
      const end = Array.isArray(groups) ? groups.length : 0;
      return setAt(text, [...AT, place < 0 ? end : place], group);
    },
    remove(text, original) {
      const place = placeIn(text);
      return place < 0 ? text : removeWithParents(text, [...AT, place], original);
    },
  };
}

/** The shell command that starts Helmdeck with these arguments. */
function commandLine({ launch, platform }: Machine, words: readonly string[]): string {
  const quoted = (word: string) => {
    if (/^[\w@%+=:,./-]+$/.test(word)) return word;
    return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
  };
  return [launch.command, ...launch.args, ...words].map(quoted).join(' ');
}
