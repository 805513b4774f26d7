import { createHash } from 'node:crypto';
import type { Entry, EntryContent } from '../../memory/entry.ts';
import { cautionOf } from '../../memory/facts/freshness.ts';
import { validKey } from '../../memory/facts/validate-fact.ts';
import { findEntry, type Memory } from '../../memory/memory.ts';
import { enterSpace } from '../../memory/spaces/enter-space.ts';
import { walkCorpus as walkEntries } from '../../recall/corpus.ts';
import type { RecallKind } from '../../recall/index/documents.ts';
import { type Chunk, chunkOf } from '../../recall/text/entry-text.ts';
import type { Corpus } from './qmd-services.ts';

/** A document of the corpus: an entry as Markdown, with the id that QMD tools use. */
export interface CorpusDocument extends Chunk {
  docid: string;
  /** Set if it is a stale fact. Not part of the text, so that the docid stays the same. */
  caution?: string;
}

const DOCID_HEX = 12;
const DOCID = /^#?([0-9a-f]{6,64})$/;
const FACTS = 'facts/';
/** The collection of a space. Those of one's own memory begin with `helmdeck-`. */
export const SPACE_COLLECTION = 'space-';
const IN_SPACE = /^(?:space-[^/]*\/)?spaces\/([^/]+)\/(.+)$/s;

/** A hash of the text: it stays the same until the text changes. */
function docidOf({ markdown }: Chunk): string {
  return `#${createHash('sha256').update(markdown).digest('hex').slice(0, DOCID_HEX)}`;
}

/** A text with the caution about a stale fact at its end. */
export const withCaution = (text: string, caution: string | undefined) =>
  caution === undefined ? text : `${text}\n\n(${caution})`;

export function documentOf(kind: RecallKind, content: EntryContent): CorpusDocument {
  const chunk = chunkOf(kind, content);
  return { ...chunk, docid: docidOf(chunk) };
}

/** A document with the names by which it is found again: one of a space says which. */
export function placed<T extends Pick<CorpusDocument, 'docid' | 'file' | 'collection' | 'title'>>(
  { seat }: Pick<Memory, 'seat'>,
  document: T,
): T {
  if (!seat) return document;
  const { docid, file, title } = document;
  const folder = `spaces/${seat.slug}/`;
  return {
    ...document,
    docid: folder + docid,
    file: folder + file,
    collection: SPACE_COLLECTION + seat.slug,
    title: `${seat.slug}: ${title}`,
  };
}

/** The memory that a name is in, and the name there. */
async function locate(corpus: Corpus, name: string): Promise<{ memory: Memory; name: string }> {
  const [, slug, rest] = IN_SPACE.exec(withoutScheme(name)) ?? [];
  if (slug === undefined || rest === undefined) return { memory: corpus.memory, name };
  return { memory: await enterSpace(corpus.spaces, corpus.identity, slug, 'reader'), name: rest };
}

function asDocument(memory: Memory, entry: Entry): CorpusDocument {
  const document = documentOf(entry.kind as RecallKind, entry);
  return entry.kind === 'fact' ? { ...document, caution: cautionOf(memory, entry) } : document;
}

/** All documents of a memory, newest first. */
export async function* walkCorpus(memory: Memory): AsyncGenerator<CorpusDocument> {
  for await (const entry of walkEntries(memory)) yield asDocument(memory, entry);
}

/** One document by its docid or its file, with or without the prefix `qmd://` and the collection. */
export async function findDocument(corpus: Corpus, name: string): Promise<CorpusDocument | undefined> {
  return (await findNamed(corpus, [name]))[0];
}

/** Documents by their names, in the order of these; each memory that they name is read at most once. */
async function findNamed(corpus: Corpus, names: readonly string[]): Promise<CorpusDocument[]> {
  const places = await Promise.all(names.map((name) => locate(corpus, name)));
  const byMemory = Map.groupBy(places, ({ memory }) => memory.seat?.slug);
  const found = new Map<object, CorpusDocument>();
  for (const group of byMemory.values()) {
    const { memory } = group[0]!;
    const documents = await findIn(
      memory,
      group.map(({ name }) => name),
    );
    for (const place of group) {
      const document = documents.get(place.name);
      if (document) found.set(place, placed(memory, document));
    }
  }
  return places.flatMap((place) => found.get(place) ?? []);
}

/** Documents of one memory. Facts are read by key; one walk finds all others. */
async function findIn(memory: Memory, names: readonly string[]): Promise<Map<string, CorpusDocument>> {
  const found = new Map<string, CorpusDocument>();
  const missing = new Set<string>();
  for (const name of names) {
    const file = bareFile(name);
    const fact = file.startsWith(FACTS)
      ? await findEntry(memory, 'fact', validKey(file.slice(FACTS.length)))
      : undefined;
    if (fact) found.set(name, asDocument(memory, fact));
    else if (!file.startsWith(FACTS)) missing.add(name);
  }
  if (missing.size > 0) {
    for await (const document of walkCorpus(memory)) {
      for (const name of missing) {
        if (!isNamed(document, name)) continue;
        found.set(name, document);
        missing.delete(name);
      }
      if (missing.size === 0) break;
    }
  }
  return found;
}

function isNamed({ file, docid }: CorpusDocument, name: string): boolean {
  if (file === bareFile(name)) return true;
  const hex = DOCID.exec(name.trim())?.[1];
  return hex !== undefined && `#${hex}`.startsWith(docid.slice(0, hex.length + 1));
}

function bareFile(name: string): string {
  return withoutScheme(name).replace(/^helmdeck-[^/]*\//, '');
}

const withoutScheme = (name: string) => name.trim().replace(/^qmd:\/\//, '');

/** Whether a name matches a pattern in which `*` stands for any characters; linear in both, unlike a regular expression. */
function matchesPattern(name: string, pattern: string): boolean {
  const parts = pattern.split(/\*+/);
  if (parts.length === 1) return name === pattern;
  const [first = '', ...rest] = parts;
  const last = rest.pop()!;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

/** At most `max` documents that match a pattern or are in a comma-separated list of names. */
export async function findDocuments(corpus: Corpus, pattern: string, max: number): Promise<CorpusDocument[]> {
  if (!pattern.includes('*')) {
    const names = pattern.split(',').filter((name) => name.trim() !== '');
    return findNamed(corpus, [...new Set(names)].slice(0, max));
  }
  const found: CorpusDocument[] = [];
  const seen = new Set<string>();
  const { memory, name } = await locate(corpus, pattern);
  const filePattern = bareFile(name);
  for await (const document of walkCorpus(memory)) {
    if (!matchesPattern(document.file, filePattern) || seen.has(document.docid)) continue;
    seen.add(document.docid);
    found.push(placed(memory, document));
    if (found.length >= max) break;
  }
  return found;
}
