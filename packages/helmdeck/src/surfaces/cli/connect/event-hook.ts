import type { Machine } from '../deps.ts';
import { type HookProgram, workOf } from '../hook/hook-events.ts';
import type { ClientFile, Recipe } from './client.ts';
import { type JsonPath, readAt, removeWithParents, setAt } from './formats/json-text.ts';

interface HookGroup {
  hooks?: { command?: string }[];
}

export interface EventHook {
  event: string;
  /** Which kinds of the event; absent: all. */
  matcher?: string;
  /** In the unit of the program. */
  timeout: number;
  /** It may ask the agent what to store, if `connect` is told so; `only`: it is installed for nothing else. */
  asks?: true | 'only';
}

/** Where one of our hooks is in the list of an event. */
interface HookPlace {
  group: number;
  /** Undefined if it has the group to itself. */
  hook?: number;
}

/** A hook of a program: a command that it runs on an event and whose output it reads. The hooks of others stay as they are. */
export function eventHook(
  program: HookProgram,
  path: ClientFile['path'],
  { event, matcher, timeout, asks }: EventHook,
): Recipe {
  const at: JsonPath = ['hooks', event];
  const words = ['hook', program, event];
  // The second is what earlier versions installed.
  const endings = [
    words.join(' '),
    ...(event === 'SessionStart' ? [`context --client ${program} --hook`] : []),
  ];
  const isOurs = ({ command }: { command?: string }) =>
    typeof command === 'string' &&
    endings.some((ending) =>
      command.replaceAll(/ --(?:ask|spaces \S+)(?= --|$)/g, '').endsWith(` ${ending}`),
    );

  function placeIn(text: string): HookPlace | undefined {
    const groups = readAt(text, at);
    if (!Array.isArray(groups)) return undefined;
    for (const [group, { hooks }] of (groups as HookGroup[]).entries()) {
      const hook = Array.isArray(hooks) ? hooks.findIndex(isOurs) : -1;
      if (hook >= 0) return hooks!.length === 1 ? { group } : { group, hook };
    }
    return undefined;
  }

  const pathOf = ({ group, hook }: HookPlace): JsonPath =>
    hook === undefined ? [...at, group] : [...at, group, 'hooks', hook];

  function remove(text: string, original: string): string {
    let left = text;
    for (let place = placeIn(left); place; place = placeIn(left))
      left = removeWithParents(left, pathOf(place), original);
    return left;
  }

  return {
    path,
    isInstalled: (text) => placeIn(text) !== undefined,
    install(text, machine, { ask = false, spaces } = {}) {
      if (asks === 'only' && !ask) return remove(text, text);
      const recalls = asks === undefined && ['start', 'prompt'].includes(workOf(program, event) ?? '');
      const command = commandLine(machine, [
        ...words,
        ...(asks && ask ? ['--ask'] : []),
        ...(recalls && spaces !== undefined ? ['--spaces', spaces] : []),
      ]);
      const own = { type: 'command', command, timeout };
      const groups = readAt(text, at);
      const place = placeIn(text) ?? { group: Array.isArray(groups) ? groups.length : 0 };
      const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [own] };
      return setAt(text, pathOf(place), place.hook === undefined ? group : own);
    },
    remove,
  };
}

/** The shell command that starts Helmdeck with these arguments. */
export function commandLine({ launch, platform }: Machine, words: readonly string[]): string {
  const quoted = (word: string) => {
    if (/^[\w@%+=:,./-]+$/.test(word)) return word;
    return platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
  };
  return [launch.command, ...launch.args, ...words].map(quoted).join(' ');
}
