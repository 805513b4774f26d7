import { AppError } from '../errors.ts';
import type { NamespaceKeys } from '../memory/crypto/sealed.ts';
import type { Entry } from '../memory/entry.ts';
import { type FreshnessView, freshnessView } from '../memory/facts/freshness.ts';
import { type Memory, walkEntries } from '../memory/memory.ts';
import { isoMs, isoSeconds } from '../memory/times.ts';
import { type RecallKind, RUN_RECALL_KINDS } from './index/documents.ts';
import { chunkOf } from './text/entry-text.ts';

/** One entry as a Markdown file, for indexing by other programs. */
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
  } & Partial<FreshnessView>;
}

export interface CorpusPage {
  chunks: CorpusChunk[];
  next_cursor?: string;
}

/** Everything recall can find for a caller, newest first: facts and run records, merged from their two namespaces. */
export async function* walkCorpus(memory: Memory, before?: CorpusPosition): AsyncGenerator<Entry> {
  const { directory, caller } = memory;
  const walk = (keys: NamespaceKeys | undefined, kinds: readonly RecallKind[], beforeSeq?: number) =>
    keys ? walkEntries(memory, keys, { kinds, newestFirst: true, beforeSeq }) : none();
  const main = walk(await directory.find(caller), ['fact'], before?.main);
  const runs = walk(await directory.runs.find(caller), RUN_RECALL_KINDS, before?.runs);
  try {
    let [fact, run] = [await main.next(), await runs.next()];
    while (!fact.done || !run.done) {
      if (run.done || (!fact.done && fact.value.updatedMs >= run.value.updatedMs)) {
        yield fact.value;
        fact = await main.next();
      } else {
        yield run.value;
        run = await runs.next();
      }
    }
  } finally {
    await main.return(undefined);
    await runs.return(undefined);
  }
}

async function* none(): AsyncGenerator<Entry> {}

/** How far a walk has come in each namespace: entries before these are still to come. */
interface CorpusPosition {
  main: number;
  runs: number;
}

/** A page of everything recall can find for a caller, newest first. */
export async function corpusPage(
  memory: Memory,
  page: { limit: number; cursor?: string },
): Promise<CorpusPage> {
  const before = page.cursor === undefined ? undefined : positionOf(page.cursor);
  const { main, runs } = before ?? { main: LAST_SEQ, runs: LAST_SEQ };
  const next = { main, runs };
  const chunks: CorpusChunk[] = [];
  for await (const entry of walkCorpus(memory, before)) {
    if (chunks.length === page.limit) return { chunks, next_cursor: `${next.main}.${next.runs}` };
    chunks.push(corpusChunk(memory, entry));
    next[entry.kind === 'fact' ? 'main' : 'runs'] = entry.seq;
  }
  return { chunks };
}

function corpusChunk(memory: Memory, entry: Entry): CorpusChunk {
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
      ...(kind === 'fact' ? freshnessView(memory, entry) : {}),
    },
  };
}

const LAST_SEQ = 999_999_999_999_999;
const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

function positionOf(cursor: string): CorpusPosition {
  const [, main, runs] = CURSOR.exec(cursor) ?? [];
  if (main !== undefined) return { main: Number(main), runs: Number(runs) };
  throw new AppError('invalid_input', 'This cursor belongs to a different list.', { reason: 'bad_cursor' });
}
