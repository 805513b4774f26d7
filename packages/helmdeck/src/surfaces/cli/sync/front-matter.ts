// A memory file of Claude Code: front matter between two lines of dashes, then the text. What is not understood is kept.

export interface MemoryFile {
  /** Everything up to the text, as it stands in the file; empty if there is no front matter. */
  head: string;
  /** The text, without white space around it. */
  body: string;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/;
/** Marks a file that sync wrote, and names its fact. */
const KEY_FIELD = 'helmdeck_key';

export function parseMemoryFile(text: string): MemoryFile {
  const head = FRONT_MATTER.exec(text)?.[0] ?? '';
  return { head, body: text.slice(head.length).trim() };
}

/** A field of the front matter on a line of its own. */
export function fieldOf({ head }: Pick<MemoryFile, 'head'>, name: string): string | undefined {
  const line = head.split(/\r?\n/).find((each) => each.startsWith(`${name}:`));
  const value = line?.slice(name.length + 1).trim();
  if (value === undefined || value === '') return undefined;
  if (!value.startsWith('"')) return value.replace(/^'(.*)'$/, '$1');
  try {
    return String(JSON.parse(value));
  } catch {
    return undefined;
  }
}

export const keyIn = (file: Pick<MemoryFile, 'head'>) => fieldOf(file, KEY_FIELD);

/**
 * The file with another text. The front matter stays byte for byte, but for the description that sync wrote: it would
 * contradict the text.
 */
export function withBody({ head }: MemoryFile, body: string): string {
  const isOurs = keyIn({ head }) !== undefined;
  const current = isOurs
    ? head.replace(/^description:.*$/m, () => `description: ${descriptionOf(body)}`)
    : head;
  return `${current}${head === '' ? '' : '\n'}${body}\n`;
}

const descriptionOf = (value: string) => JSON.stringify(value.split('\n')[0]!.slice(0, 120).toWellFormed());

/** A new file for a fact. JSON strings are YAML strings, whatever a key or a value contains. */
export function newMemoryFile(key: string, name: string, value: string): string {
  const fields = [
    `name: ${JSON.stringify(name)}`,
    `description: ${descriptionOf(value)}`,
    'type: project',
    `${KEY_FIELD}: ${JSON.stringify(key)}`,
  ];
  return withBody({ head: `---\n${fields.join('\n')}\n---\n`, body: '' }, value);
}
