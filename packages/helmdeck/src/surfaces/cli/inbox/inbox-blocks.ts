import { AppError } from '../../../errors.ts';
import type { ProposalView } from '../../../memory/gate/inbox.ts';
import { sourceName } from '../source-name.ts';
import { printable } from '../terminal/table.ts';

// The inbox as a text that a person edits: one block for each proposal, and what is left when the editor closes is what
// should be remembered.

/** What a person wants with a proposal. */
export type WantedDecision =
  | { id: string; decision: 'accept'; edits?: Edits }
  | { id: string; decision: 'reject' | 'later'; edits?: undefined };

interface Edits {
  key?: string;
  value?: string;
  category?: string;
  tags?: string[];
}

const HELP = `# What is left here when you close the editor becomes a fact.
#   delete a block           to decline it
#   change its text          to accept it in your own words
#   write "later" for "accept" to leave it in the inbox
# Lines that begin with # are ignored between blocks.`;

const HEADER = /^\[(accept|later) ([\w-]+)\]$/;
const VALUE = 'value:';
const INDENT = '  ';

/** The text for the editor. What looks like an instruction to a model is left in the inbox unless the person says otherwise. */
export function writeBlocks(proposals: readonly ProposalView[], nameOf: (id: string) => string): string {
  const blocks = proposals.map((proposal) => {
    const why = proposal.explanation ?? proposal.reason;
    const from = sourceName(proposal.source);
    return [
      `# ${proposal.status}: ${line(why)} (from ${line(from)})`,
      ...(proposal.current ? [`# now: ${line(proposal.current.value)}`] : []),
      ...(proposal.quote === undefined ? [] : [`# from: “${line(proposal.quote)}”`]),
      ...(proposal.replaces ? [`# takes the place of: ${proposal.replaces.map(line).join(', ')}`] : []),
      `[${proposal.status === 'quarantined' ? 'later' : 'accept'} ${nameOf(proposal.id)}]`,
      ...fieldLines(proposal),
    ].join('\n');
  });
  return `${[HELP, ...blocks].join('\n\n')}\n`;
}

function fieldLines({ key, category, tags, value }: ProposalView): string[] {
  const values = value.split('\n').map((each) => `${INDENT}${printable(each)}`);
  return [
    `key: ${line(key)}`,
    `category: ${category}`,
    `tags: ${tags.map(line).join(', ')}`,
    VALUE,
    ...values,
  ];
}

const line = (text: string) => printable(text).replaceAll(/\s+/g, ' ');

/** The decisions that the edited text stands for: a proposal whose block is gone is declined. */
export function readBlocks(
  text: string,
  proposals: readonly ProposalView[],
  nameOf: (id: string) => string,
): WantedDecision[] {
  const blocks = new Map<string, { word: string; lines: string[] }>();
  let current: { word: string; lines: string[] } | undefined;
  for (const each of text.split(/\r?\n/)) {
    const header = HEADER.exec(each.trim());
    if (header) {
      const [, word, name] = header as unknown as [string, string, string];
      if (!proposals.some(({ id }) => nameOf(id) === name)) throw badBlock(`There is no proposal ${name}.`);
      if (blocks.has(name)) throw badBlock(`The proposal ${name} has two blocks.`);
      current = { word, lines: [] };
      blocks.set(name, current);
    } else if (current) current.lines.push(each);
    else if (each.trim() !== '' && !each.startsWith('#')) throw badBlock('A line belongs to no block.');
  }
  return proposals.map((proposal) => {
    const { id } = proposal;
    const block = blocks.get(nameOf(id));
    if (!block) return { id, decision: 'reject' };
    if (block.word === 'later') return { id, decision: 'later' };
    const edits = editsOf(block.lines, proposal);
    return { id, decision: 'accept', ...(Object.keys(edits).length > 0 ? { edits } : {}) };
  });
}

/** The fields that differ from what was written into the editor. */
function editsOf(lines: string[], proposal: ProposalView): Edits {
  const at = lines.findIndex((each) => each.trim() === VALUE);
  if (at < 0) throw badBlock(`The block of ${line(proposal.key)} has no line "${VALUE}".`);
  const shown = fieldLines(proposal);
  const [key, category, tags] = shown.slice(0, 3).map((each) => each.slice(each.indexOf(':') + 1).trim());
  const fields = new Map<string, string>();
  for (const each of lines.slice(0, at)) {
    if (each.trim() === '' || each.startsWith('#')) continue;
    const colon = each.indexOf(':');
    const name = each.slice(0, colon).trim();
    if (!['key', 'category', 'tags'].includes(name))
      throw badBlock(`A block has a line that is not key, category, tags or value.`);
    fields.set(name, each.slice(colon + 1).trim());
  }
  const value = valueIn(lines.slice(at + 1));
  const edits: Edits = {};
  if (fields.get('key') !== undefined && fields.get('key') !== key) edits.key = fields.get('key');
  if (fields.get('category') !== undefined && fields.get('category') !== category)
    edits.category = fields.get('category');
  if (fields.get('tags') !== undefined && fields.get('tags') !== tags)
    edits.tags = fields.get('tags')!.split(',').map((tag) => tag.trim()).filter((tag) => tag !== ''); // biome-ignore format: one chain
  if (value !== valueIn(shown.slice(4))) edits.value = value;
  return edits;
}

/** The indented lines; a comment or an empty line before the next block is not part of them. */
function valueIn(lines: string[]): string {
  const end = lines.findLastIndex((each) => each.trim() !== '' && !each.startsWith('#'));
  return lines
    .slice(0, end + 1)
    .map((each) => (each.startsWith(INDENT) ? each.slice(INDENT.length) : each))
    .join('\n')
    .trim();
}

const badBlock = (message: string) =>
  new AppError('invalid_input', `${message} Nothing was decided.`, {
    reason: 'bad_block',
    hint: 'Run "helmdeck inbox --edit" again; your text is not kept.',
  });
