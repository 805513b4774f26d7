/** Inline text. There is no raw HTML and no image, and a link keeps its URL beside its text. */
export type Inline =
  | { type: 'text' | 'code' | 'strong' | 'em'; text: string }
  | { type: 'link'; text: string; address: string };

export type Align = 'left' | 'center' | 'right' | undefined;

export type Block =
  | { type: 'paragraph'; lines: Inline[][] }
  | { type: 'heading'; level: number; inline: Inline[] }
  | { type: 'list'; ordered: boolean; items: Inline[][] }
  | { type: 'quote'; lines: Inline[][] }
  | { type: 'table'; head: Inline[][]; align: Align[]; rows: Inline[][][] }
  | { type: 'code'; text: string; language: string };

const FENCE = /^\s*(```|~~~)\s*(\w*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBER = /^\s*\d{1,3}[.)]\s+(.*)$/;
const QUOTE = /^>\s?(.*)$/;
/** The line below the head of a table: cells of dashes, with colons for the alignment. */
const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether a value uses Markdown at all; most facts are plain sentences. */
export function looksLikeMarkdown(value: string): boolean {
  if (value.split('\n').some((line, at, lines) => isTableHead(line, lines[at + 1]))) return true;
  return /^\s*(```|#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|>\s)|`[^`\n]+`|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^)\s]+\)/m.test(
    value,
  );
}

/** Parses the subset of Markdown that facts use. Anything else stays text. */
export function parseMarkdown(value: string): Block[] {
  const lines = value.split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (pattern: RegExp) => {
    const taken: Inline[][] = [];
    for (let match = pattern.exec(lines[at] ?? ''); match; match = pattern.exec(lines[at] ?? '')) {
      taken.push(parseInline(match[1]!));
      at++;
    }
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (line.trim() === '') at++;
    else if (isTableHead(line, lines[at + 1])) {
      const rule = cellsOf(lines[at + 1]!);
      const start = at + 2;
      for (at = start; lines[at]?.includes('|'); ) at++;
      blocks.push({
        type: 'table',
        head: cellsOf(line).map(parseInline),
        align: rule.map(alignOf),
        rows: lines.slice(start, at).map((row) => rule.map((_, n) => parseInline(cellsOf(row)[n] ?? ''))),
      });
    } else if (fence) {
      const end = lines.findIndex((text, index) => index > at && text.trim().startsWith(fence[1]!));
      const last = end < 0 ? lines.length : end;
      blocks.push({ type: 'code', text: lines.slice(at + 1, last).join('\n'), language: fence[2]! });
      at = last + 1;
    } else if (heading) {
      blocks.push({ type: 'heading', level: heading[1]!.length, inline: parseInline(heading[2]!) });
      at++;
    } else if (BULLET.test(line)) blocks.push({ type: 'list', ordered: false, items: takeWhile(BULLET) });
    else if (NUMBER.test(line)) blocks.push({ type: 'list', ordered: true, items: takeWhile(NUMBER) });
    else if (QUOTE.test(line)) blocks.push({ type: 'quote', lines: takeWhile(QUOTE) });
    else {
      const paragraph: Inline[][] = [];
      do paragraph.push(parseInline(lines[at++]!));
      while (at < lines.length && isPlain(lines[at]!) && !isTableHead(lines[at]!, lines[at + 1]));
      blocks.push({ type: 'paragraph', lines: paragraph });
    }
  }
  return blocks;
}

const isPlain = (line: string) =>
  line.trim() !== '' && ![FENCE, HEADING, BULLET, NUMBER, QUOTE].some((pattern) => pattern.test(line));

/** A head and its rule must have the same number of cells; otherwise it is text with pipes in it. */
function isTableHead(line: string, next: string | undefined): boolean {
  if (!line.includes('|') || next === undefined || !RULE.test(next)) return false;
  return cellsOf(line).length === cellsOf(next).length;
}

/** The cells of a row, without the pipes around it; `\\|` is a pipe in a cell. */
const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function alignOf(rule: string): Align {
  if (rule.endsWith(':')) return rule.startsWith(':') ? 'center' : 'right';
  return rule.startsWith(':') ? 'left' : undefined;
}

const INLINE =
  /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|!?\[([^\]]*)\]\(([^)\s]+)\)/g;

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) parts.push({ type: 'text', text: text.slice(at, match.index) });
    const [whole, code, strong, strong2, em, label, address] = match;
    if (code !== undefined) parts.push({ type: 'code', text: code });
    else if (strong !== undefined || strong2 !== undefined)
      parts.push({ type: 'strong', text: (strong ?? strong2)! });
    else if (em !== undefined) parts.push({ type: 'em', text: em });
    else parts.push({ type: 'link', text: label!, address: address! });
    at = match.index + whole.length;
  }
  if (at < text.length) parts.push({ type: 'text', text: text.slice(at) });
  return parts;
}
