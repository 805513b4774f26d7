import type { Turn } from '../memory/harvest/extract.ts';

// What the reader of a format gives: facts to be, and conversations to harvest.

/** A fact to be, as a foreign file has it. */
export interface Candidate {
  key: string;
  /** The file has this key; otherwise it was made from the text, and the text may be known under another. */
  isKeyGiven?: true;
  value: string;
  category?: string;
  tags?: string[];
  /** When it was written there, if the file says so. */
  createdMs?: number;
  /** When it ceases to hold there. */
  expiresMs?: number;
}

/** A conversation in a foreign file; what it says that is worth remembering is found by harvest. */
export interface Conversation {
  conversation: { id: string; title?: string; turns: Turn[] };
}

/** A part of a file that a reader had to leave out. */
export interface Omission {
  omitted: string;
}

export type Item = Candidate | Conversation | Omission;

/** A file as a reader sees it. */
export interface ForeignFile {
  /** Its path, with slashes; empty if there is none. */
  name: string;
  /** Its text in pieces, so that a large file need not fit in memory. */
  text: AsyncIterable<string>;
  project?: string;
}

/** The beginning of a file, to tell its format by. */
export interface FileSample {
  name: string;
  head: string;
}

export interface ForeignFormat {
  name: string;
  /** Whether a file is of this format, by its content; names decide only where Markdown looks alike. */
  detect(sample: FileSample): boolean;
  read(file: ForeignFile): AsyncIterable<Item>;
}
