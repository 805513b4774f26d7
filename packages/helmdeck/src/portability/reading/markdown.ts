// Just enough Markdown: front matter, headings, bullets and paragraphs. Fences are left as they are.

export interface MarkdownDocument {
  /** Names in lower case. A Map, so that no name can reach a prototype. */
  frontMatter: Map<string, string | string[]>;
  body: string;
}

const MAX_FRONT_MATTER_CHARS = 65_536;
const MAX_FIELDS = 200;

/** Splits off the front matter. Values are texts and lists of texts; anchors, tags and nested objects of YAML have no meaning here. */
export function parseMarkdown(text: string): MarkdownDocument {
  const frontMatter = new Map<string, string | string[]>();
  const end = text.startsWith('---\n') ? text.slice(0, MAX_FRONT_MATTER_CHARS).indexOf('\n---', 3) : -1;
  if (end === -1) return { frontMatter, body: text };
  let listName: string | undefined;
  for (const line of text.slice(4, end).split('\n')) {
    const field = /^([A-Za-z][\w .-]{0,60}):\s*(.*)$/.exec(line);
    const item = /^\s*-\s+(.+)$/.exec(line);
    if (field && frontMatter.size < MAX_FIELDS) {
      listName = field[1]!.toLowerCase();
      frontMatter.set(listName, scalarOrList(field[2]!));
    } else if (item && listName !== undefined) {
      const before = frontMatter.get(listName);
      frontMatter.set(listName, [
        ...(Array.isArray(before) ? before : before ? [before] : []),
        unquoted(item[1]!),
      ]);
    }
  }
  const after = text.indexOf('\n', end + 1);
  return { frontMatter, body: after === -1 ? '' : text.slice(after + 1) };
}

function scalarOrList(text: string): string | string[] {
  const list = /^\[(.*)\]\s*$/.exec(text.trim())?.[1];
  if (list === undefined) return unquoted(text);
  return list.split(',').map(unquoted).filter(Boolean);
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^"(.*)"$/.exec(trimmed)?.[1] ?? /^'(.*)'$/.exec(trimmed)?.[1] ?? trimmed;
}

export function textField({ frontMatter }: MarkdownDocument, name: string): string | undefined {
  const value = frontMatter.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listField({ frontMatter }: MarkdownDocument, name: string): string[] {
  const value = frontMatter.get(name);
  return Array.isArray(value) ? value : value ? value.split(/[,\s]+/).filter(Boolean) : [];
}

/** A bullet with its continuation lines, or a paragraph, under the headings above it. */
export interface MarkdownBlock {
  headings: string[];
  kind: 'bullet' | 'paragraph';
  text: string;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s{0,3}(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;
const RULE = /^\s*(?:[-*_]\s*){3,}$/;

/** The blocks of a document. Nested bullets belong to the one above; code belongs to the block that it follows. */
export function* markdownBlocks(body: string): Generator<MarkdownBlock> {
  let headings: string[] = [];
  let block: MarkdownBlock | undefined;
  let isFenced = false;
  for (const line of withoutComments(body).split('\n')) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    const bullet = isFenced ? null : BULLET.exec(line);
    if (heading || bullet || (!isFenced && (line.trim() === '' || RULE.test(line)))) {
      if (block && !(line.trim() === '' && block.kind === 'bullet')) {
        yield block;
        block = undefined;
      }
    }
    if (heading) headings = [...headings.slice(0, heading[1]!.length - 1), plain(heading[2]!)];
    else if (bullet) block = { headings, kind: 'bullet', text: bullet[1]!.trim() };
    else if (line.trim() === '' || (RULE.test(line) && !isFenced)) continue;
    else if (block && (block.kind === 'paragraph' || /^\s/.test(line) || isFenced || FENCE.test(line)))
      block.text += `\n${line.trimEnd()}`;
    else {
      if (block) yield block;
      block = { headings, kind: 'paragraph', text: line.trimEnd() };
    }
  }
  if (block) yield block;
}

/** Comments are for authors. One that is not closed is text; with a regular expression each of them would be read to the end. */
function withoutComments(body: string): string {
  let kept = '';
  let from = 0;
  for (;;) {
    const start = body.indexOf('<!--', from);
    const end = start === -1 ? -1 : body.indexOf('-->', start);
    if (end === -1) return kept + body.slice(from);
    kept += body.slice(from, start);
    from = end + 3;
  }
}

const plain = (text: string) => text.replace(/[*_`]/g, '').trim();

/** `**bold**`, links and code as plain words. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g, '$1')
    .trim();
}
