import { AppError } from '../errors.ts';
import type { Entry } from '../memory/entry.ts';
import { isoMs, isoSeconds } from '../memory/facts/remember.ts';
import { type Memory, walkMemory } from '../memory/memory.ts';
import { RECALL_KINDS, type RecallKind } from './index/documents.ts';
import { chunkOf } from './text/chunk.ts';

/** One entry as a note in a folder, for whoever indexes it elsewhere. */
export interface CorpusChunk {
  path: string;
  content: string;
  metadata: {
    kind: RecallKind;
    key: string;
    collection: string;
    title: string;
    tags: string[];
    updated_at: string;
    expires_at: string;
  };
}

export interface CorpusPage {
  chunks: CorpusChunk[];
  next_cursor?: string;
}

/** A page of everything that recall knows of a caller, newest first. */
export async function corpusPage(
  memory: Memory,
  page: { limit: number; cursor?: string },
): Promise<CorpusPage> {
  const beforeSeq = page.cursor === undefined ? undefined : seqOf(page.cursor);
  const entries: Entry[] = [];
  for await (const entry of walkMemory(memory, { kinds: RECALL_KINDS, newestFirst: true, beforeSeq })) {
    entries.push(entry);
    if (entries.length > page.limit) break;
  }
  const shown = entries.slice(0, page.limit);
  const more = entries.length > page.limit;
  return { chunks: shown.map(corpusChunk), ...(more ? { next_cursor: String(shown.at(-1)!.seq) } : {}) };
}

function corpusChunk(entry: Entry): CorpusChunk {
  const kind = entry.kind as RecallKind;
  const { file, collection, title, markdown } = chunkOf(kind, entry);
  return {
    path: file,
    content: markdown,
    metadata: {
      kind,
      key: entry.key,
      collection,
      title,
      tags: entry.tags ?? [],
      updated_at: isoMs(entry.updatedMs),
      expires_at: isoSeconds(entry.expiresMs ?? 0),
    },
  };
}

function seqOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_input', 'This cursor is not one of this list.', { reason: 'bad_cursor' });
}
