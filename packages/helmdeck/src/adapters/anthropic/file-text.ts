import type { Fact, FactInput } from '../../client/index.ts';

// The text of a memory file as a fact. The server trims values and refuses empty ones, so white space at the edges of a
// file is kept in a tag, percent-encoded.

const BEGINS = 'file-begins:';
const ENDS = 'file-ends:';
const EMPTY = 'file-empty';
const MAX_TAG_BYTES = 64;

/** The value and tags that hold this text. */
export function factOfText(text: string): Pick<FactInput, 'value' | 'tags'> {
  const value = text.trim();
  if (value === '') return { value: '(empty file)', tags: [EMPTY, ...edgeTag(ENDS, text)] };
  const begin = text.indexOf(value);
  const edges = [
    ...edgeTag(BEGINS, text.slice(0, begin)),
    ...edgeTag(ENDS, text.slice(begin + value.length)),
  ];
  return { value, tags: edges };
}

/** The text that a fact holds. */
export function textOfFact({ value, tags }: Pick<Fact, 'value' | 'tags'>): string {
  const edge = (name: string) =>
    decodeURIComponent(tags.find((tag) => tag.startsWith(name))?.slice(name.length) ?? '');
  return edge(BEGINS) + (tags.includes(EMPTY) ? '' : value) + edge(ENDS);
}

function edgeTag(name: string, whiteSpace: string): string[] {
  if (whiteSpace === '') return [];
  const tag = name + encodeURIComponent(whiteSpace);
  if (tag.length > MAX_TAG_BYTES)
    throw new Error('The file begins or ends with too much white space; remove some of it.');
  return [tag];
}
