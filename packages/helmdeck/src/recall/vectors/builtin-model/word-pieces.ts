/** The ids of the tokens of a text, with the marks of its beginning and its end; longer texts are cut. */
export type Tokenise = (text: string, maxTokens: number) => number[];

/** The part of a `tokenizer.json` used here: WordPiece over lower-case words, as BERT has it. */
export interface TokeniserFile {
  model: { type: string; vocab: Record<string, number> };
}

/** A longer word is one unknown token. */
const MAX_WORD_UNITS = 100;
const CONTINUATION = '##';

const INVISIBLE = /(?![\t\n\r])[\p{C}\ufffd]/gu;
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const ACCENT = /\p{Mn}/gu;
/** A punctuation character is a word of its own. BERT counts every ASCII symbol as punctuation. */
const WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;

export function createTokeniser({ model }: TokeniserFile): Tokenise {
  const ids = new Map(Object.entries(model.vocab));
  const [unknown, first, last] = ['[UNK]', '[CLS]', '[SEP]'].map((mark) => ids.get(mark));
  if (unknown === undefined || first === undefined || last === undefined)
    throw new TypeError('the vocabulary lacks a mark');

  /** Splits a word into the longest pieces of the vocabulary. */
  function piecesOf(word: string): number[] {
    const pieces: number[] = [];
    for (let start = 0; start < word.length; ) {
      let end = word.length;
      let id: number | undefined;
      for (; end > start && id === undefined; end--)
        id = ids.get(start === 0 ? word.slice(0, end) : CONTINUATION + word.slice(start, end));
      if (id === undefined) return [unknown!];
      pieces.push(id);
      start = end + 1;
    }
    return pieces;
  }

  return (text, maxTokens) => {
    const plain = text.replace(INVISIBLE, '').replace(IDEOGRAPH, ' $& ').normalize('NFD').replace(ACCENT, '');
    const tokens = [first];
    for (const [word] of plain.toLowerCase().matchAll(WORD)) {
      if (tokens.length >= maxTokens - 1) break;
      if (word.length > MAX_WORD_UNITS) tokens.push(unknown);
      else tokens.push(...piecesOf(word));
    }
    return [...tokens.slice(0, maxTokens - 1), last];
  };
}
