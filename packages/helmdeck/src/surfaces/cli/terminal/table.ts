import { visibleText } from '../../../memory/facts/hidden-characters.ts';
import type { Screen } from './screen.ts';

const GAP = '  ';
/** How narrow columns may get, in steps: the next one only if the table still does not fit. */
const MIN_COLUMN_CHARS = [12, 6, 2];

export interface Column {
  title: string;
  /** Shrinks first if the terminal is too narrow. */
  flexible?: boolean;
  align?: 'right';
}

/** Aligned columns, cut to the width of the terminal; not cut if stdout is not a terminal. */
export function renderTable(screen: Screen, columns: readonly Column[], rows: readonly string[][]): string {
  const cells = rows.map((row) => row.map(oneLine));
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((row) => width(row[at] ?? ''))),
  );
  if (screen.columns !== undefined) shrink(widths, columns, screen.columns);
  const line = (row: readonly string[]) =>
    columns
      .map((column, at) => cell(row[at] ?? '', widths[at]!, column.align === 'right'))
      .join(GAP)
      .trimEnd();
  const title = line(columns.map((column) => column.title));
  return [screen.paint('dim', title), ...cells.map(line)].join('\n');
}

/** `name  value` lines, the names aligned. */
export function renderFields(screen: Screen, fields: readonly (readonly [string, string])[]): string {
  const longest = Math.max(...fields.map(([name]) => name.length));
  return fields
    .map(([name, value]) => `${screen.paint('dim', name.padEnd(longest))}${GAP}${printable(value)}`)
    .join('\n');
}

function shrink(widths: number[], columns: readonly Column[], maxWidth: number): void {
  const excess = () => widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - maxWidth;
  const order = [...columns.keys()].sort(
    (a, b) => Number(columns[b]!.flexible ?? false) - Number(columns[a]!.flexible ?? false),
  );
  for (const minChars of MIN_COLUMN_CHARS)
    for (const at of order) {
      if (excess() <= 0) return;
      widths[at] = Math.max(Math.min(minChars, widths[at]!), widths[at]! - excess());
    }
}

function cell(text: string, size: number, right: boolean): string {
  const letters = [...text];
  if (letters.length > size) return `${letters.slice(0, size - 1).join('')}…`;
  const padding = ' '.repeat(size - letters.length);
  return right ? padding + text : text + padding;
}

const width = (text: string) => [...text].length;

const oneLine = (text: string) => printable(text).replaceAll(/\s*\n\s*/g, ' ⏎ ');

/** Replaces control characters by visible ones, so that stored text cannot control the terminal, and shows hidden ones. */
export function printable(text: string): string {
  const visible = text.replaceAll(/(?![\n\t])\p{Cc}/gu, (character) => {
    const code = character.codePointAt(0)!;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '\u{fffd}';
  });
  return visibleText(visible);
}
