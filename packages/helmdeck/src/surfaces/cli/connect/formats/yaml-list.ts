// Edits one item of a list at the top level of a YAML file, line by line: no other byte of the file changes. Reads block
// lists only; what is written in another way is refused instead of guessed at.

/** An item, by the lines of the file that it takes. */
interface Place {
  start: number;
  end: number;
}

interface ListPlace {
  /** The line of the key. */
  header: number;
  /** Indentation of the items, in spaces. */
  indent: number;
  items: Place[];
}

const NAME = /^\s*(?:-\s+)?name:\s*(["']?)([^"'#]*?)\1\s*(?:#.*)?$/;
const isBlankOrComment = (line: string) => /^\s*(?:#.*)?$/.test(line);
const indentOf = (line: string) => line.length - line.trimStart().length;

const linesOf = (text: string) => text.split(/\r?\n/);
const lineBreakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

/** The lines of the item with this `name`, or undefined. */
export function readItem(text: string, key: string, name: string): string[] | undefined {
  const lines = linesOf(text);
  const found = findItem(lines, findList(lines, key), name);
  return found && lines.slice(found.start, found.end);
}

/** Puts an item into the list, in place of the one with the same name. The first of its lines is `name: …`. */
export function setItem(text: string, key: string, name: string, item: readonly string[]): string {
  const lines = linesOf(text);
  const list = findList(lines, key);
  const written = (indent: number) =>
    item.map((line, at) => `${' '.repeat(indent)}${at === 0 ? '- ' : '  '}${line}`);
  const lineBreak = lineBreakOf(text);
  if (!list) {
    const end = text === '' || text.endsWith('\n') ? '' : lineBreak;
    return `${text}${end}${[`${key}:`, ...written(2), ''].join(lineBreak)}`;
  }
  const own = findItem(lines, list, name);
  if (own) return replaced(lines, own, written(list.indent)).join(lineBreak);
  const after = list.items.at(-1)?.end ?? list.header + 1;
  const next = replaced(lines, { start: after, end: after }, written(list.indent));
  next[list.header] = next[list.header]!.replace(/:\s*\[\s*\]/, ':');
  return next.join(lineBreak);
}

/** Removes the item; a list that is then empty goes, too, or becomes what it was in `original`. */
export function removeItem(text: string, key: string, name: string, original: string): string {
  const lines = linesOf(text);
  const list = findList(lines, key);
  const own = findItem(lines, list, name);
  if (!list || !own) return text;
  const left = replaced(lines, own, []);
  if (list.items.length === 1) {
    const before = linesOf(original).find((line) => line.startsWith(`${key}:`));
    if (before === undefined) left.splice(list.header, 1);
    else left[list.header] = before;
  }
  return left.join(lineBreakOf(text));
}

const replaced = (lines: readonly string[], { start, end }: Place, by: readonly string[]) => [
  ...lines.slice(0, start),
  ...by,
  ...lines.slice(end),
];

function findItem(lines: readonly string[], list: ListPlace | undefined, name: string): Place | undefined {
  return list?.items.find(({ start, end }) =>
    lines
      .slice(start, end)
      .some((line) => indentOf(line) <= list.indent + 4 && NAME.exec(line)?.[2]?.trim() === name),
  );
}

/** A line at the top level of a file that is a mapping in block style. */
const TOP_LEVEL = /^(?:[\w$][^:]*:(?:\s|$)|"[^"]*":(?:\s|$)|-(?:\s|$)|---|\.\.\.|%|\s|#|$)/;

function findList(lines: readonly string[], key: string): ListPlace | undefined {
  const strange = lines.findIndex((line) => !TOP_LEVEL.test(line));
  if (strange >= 0) throw new SyntaxError(`line ${strange + 1} is not "name: value"`);
  const header = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (header < 0) return undefined;
  const value = lines[header]!.slice(key.length + 1)
    .replace(/(?:^|\s)#.*$/, '')
    .trim();
  if (value !== '' && value.replaceAll(/\s/g, '') !== '[]')
    throw new TypeError(`${key} must be a list with one line per field, not ${value.slice(0, 1)}…`);
  const items: Place[] = [];
  let indent: number | undefined;
  let lastContent = header;
  let at = header + 1;
  for (; at < lines.length && value === ''; at++) {
    const line = lines[at]!;
    if (isBlankOrComment(line)) continue;
    if (line.startsWith('\t')) throw new TypeError(`${key} is indented with tabs`);
    const isItem = /^\s*-(?:\s|$)/.test(line);
    if (indent === undefined && isItem) indent = indentOf(line);
    if (isItem && indentOf(line) === indent) {
      closeItem(items, lastContent);
      items.push({ start: at, end: at + 1 });
    } else if (indentOf(line) <= (indent ?? 0)) break;
    else if (indent === undefined) throw new TypeError(`${key} must be a list`);
    lastContent = at;
  }
  closeItem(items, lastContent);
  return { header, indent: indent ?? 2, items };
}

/** An item ends with its last line that is neither blank nor a comment. */
function closeItem(items: Place[], lastContent: number): void {
  const last = items.at(-1);
  if (last) last.end = lastContent + 1;
}
