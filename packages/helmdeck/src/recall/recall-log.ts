import { randomUUID } from 'node:crypto';
import { detectCredential } from '../memory/credential-detector/credential-detector.ts';
import { type NamespaceKeys, open, rowId } from '../memory/crypto/sealed.ts';
import { isLive, type Source } from '../memory/entry.ts';
import { type Memory, type MemoryParts, putOp, walkEntries } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { Op } from '../memory/store.ts';
import { isoMs } from '../memory/times.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import type { Hit } from './search.ts';

/** A question that an agent asked, and the facts it was given. */
export interface NewRecall {
  question: string;
  tookMs: number;
  source: Source;
  /** What it was given, best first. */
  hits: readonly Pick<Hit, 'document' | 'score'>[];
}

export interface RecallView {
  at: string;
  question: string;
  took_ms: number;
  source: Source;
  facts: { key: string; score: number }[];
  /** How many of the facts it was given are gone by now. */
  gone: number;
}

/** Records what agents asked and were given, so that a person can see it. Sealed, bounded, and never on the path of a response. */
export interface RecallLog {
  add(caller: Caller, recall: NewRecall): void;
  /** Newest first; with `key` only those that returned this fact. */
  list(memory: Memory, filter: { key?: string; limit: number }): Promise<RecallView[]>;
}

export const RECALL_LOG_POLICY = Object.freeze({
  keepMs: 7 * 86_400_000,
  /** How long recalls wait in RAM for others: each row costs a commit and a sync. */
  flushMs: 5_000,
  /** A caller that recalls faster than this per flush loses the older ones. */
  maxQueued: 50,
  maxRows: 400,
  pruneRows: 40,
  maxQuestionChars: 500,
  maxFacts: 20,
});

/** As stored: facts by their row ids, so that nothing of a forgotten fact survives in the log. */
interface StoredRecall extends Omit<RecallView, 'facts' | 'gone'> {
  facts: { id: string; score: number }[];
}

interface QueuedRecall extends Omit<NewRecall, 'hits'> {
  atMs: number;
  facts: { key: string; score: number }[];
}

interface Queue {
  caller: Caller;
  recalls: QueuedRecall[];
}

export function createRecallLog(parts: MemoryParts, isOn: boolean): RecallLog {
  const queues = new Map<string, Queue>();
  let timer: NodeJS.Timeout | undefined;

  function add(caller: Caller, { hits, ...recall }: NewRecall): void {
    // What somebody asks is theirs: a log in the space would tell the others.
    if (!isOn || caller.space !== undefined) return;
    const ns = parts.directory.idOf(caller);
    const name = namespaceMapKey(ns);
    const queue = queues.get(name) ?? { caller, recalls: [] };
    queues.set(name, queue);
    const facts = hits
      .filter(({ document }) => document.kind === 'fact')
      .slice(0, RECALL_LOG_POLICY.maxFacts)
      .map(({ document, score }) => ({ key: document.key, score }));
    queue.recalls.push({ ...recall, facts, atMs: parts.now() });
    if (queue.recalls.length > RECALL_LOG_POLICY.maxQueued) queue.recalls.shift();
    timer ??= setTimeout(() => flush(undefined), RECALL_LOG_POLICY.flushMs).unref();
    parts.changes.emit(ns, { type: 'recall', atMs: parts.now() });
  }

  function flush(ns: Uint8Array | undefined): void {
    if (!ns) {
      clearTimeout(timer);
      timer = undefined;
    }
    const only = ns && namespaceMapKey(ns);
    for (const [name, queue] of queues) {
      if (only !== undefined && name !== only) continue;
      queues.delete(name);
      // Once more at once: the namespace may just have been created or erased elsewhere. After that they are lost.
      const written = write(queue).catch(() => write(queue));
      parts.pending.track(parts.directory.idOf(queue.caller), written);
    }
  }

  async function write({ caller, recalls }: Queue): Promise<void> {
    const keys = await parts.directory.find(caller);
    if (!keys) return; // a caller without facts was given none
    const runsKeys = await parts.directory.runs.findOrCreate(caller);
    const nowMs = parts.now();
    const key = randomUUID();
    const put = putOp(
      runsKeys,
      {
        id: rowId(runsKeys, 'recall', key),
        kind: 'recall',
        group: null,
        content: { key, value: JSON.stringify(recalls.map((recall) => storedRecall(keys, recall))) },
        createdMs: nowMs,
        updatedMs: nowMs,
        expiresMs: nowMs + RECALL_LOG_POLICY.keepMs,
      },
      undefined,
    );
    try {
      await parts.store.apply(runsKeys, [...(await pruneOps(runsKeys)), put]);
    } catch (thrown) {
      parts.directory.forgetKeys(runsKeys.ns); // perhaps erased: a retry reads its keys again
      throw thrown;
    }
  }

  async function pruneOps({ ns }: NamespaceKeys): Promise<Op[]> {
    const { maxRows, pruneRows } = RECALL_LOG_POLICY;
    const usages = await parts.store.usage(parts.now(), ns);
    const rows = usages.find(({ kind }) => kind === 'recall')?.rows ?? 0;
    if (rows < maxRows) return [];
    const oldest = await parts.store.scan(ns, { kinds: ['recall'], limit: rows - maxRows + pruneRows });
    return oldest.map(({ id }) => ({ type: 'delete', id }));
  }

  async function list(
    memory: Memory,
    { key, limit }: { key?: string; limit: number },
  ): Promise<RecallView[]> {
    await memory.pending.drain(memory.directory.idOf(memory.caller));
    const keys = await memory.directory.find(memory.caller);
    const runsKeys = keys && (await memory.directory.runs.find(memory.caller));
    if (!runsKeys) return [];
    const wantedId = key === undefined ? undefined : rowId(keys, 'fact', key).toString('base64url');
    const keyOf = createKeyLookup(memory, keys);
    const views: RecallView[] = [];
    for await (const row of walkEntries(memory, runsKeys, { kinds: ['recall'], newestFirst: true })) {
      for (const recall of (JSON.parse(row.value) as StoredRecall[]).reverse()) {
        if (wantedId !== undefined && !recall.facts.some(({ id }) => id === wantedId)) continue;
        views.push(await viewOf(recall, keyOf));
        if (views.length === limit) return views;
      }
    }
    return views;
  }

  parts.pending.beforeDrain(flush);
  // Perhaps erased on another node: what is queued here must not create the namespace again.
  parts.changes.subscribeToAll((ns, { type }) => {
    if (type === 'erase') queues.delete(namespaceMapKey(ns));
  });
  return { add, list };
}

function storedRecall(keys: NamespaceKeys, recall: QueuedRecall): StoredRecall {
  const { maxQuestionChars } = RECALL_LOG_POLICY;
  const question = recall.question.slice(0, maxQuestionChars).toWellFormed();
  return {
    at: isoMs(recall.atMs),
    // A question may quote a credential, which is not stored anywhere.
    question: detectCredential(question) ? '' : question,
    took_ms: Math.round(recall.tookMs * 1000) / 1000,
    source: recall.source,
    facts: recall.facts.map(({ key, score }) => ({
      id: rowId(keys, 'fact', key).toString('base64url'),
      score,
    })),
  };
}

async function viewOf(
  { facts, ...recall }: StoredRecall,
  keyOf: (id: string) => Promise<string | undefined>,
): Promise<RecallView> {
  const live: RecallView['facts'] = [];
  for (const { id, score } of facts) {
    const key = await keyOf(id);
    if (key !== undefined) live.push({ key, score });
  }
  return { ...recall, facts: live, gone: facts.length - live.length };
}

/** Looks up the keys of live facts by row id, each once. */
function createKeyLookup(memory: Memory, keys: NamespaceKeys): (id: string) => Promise<string | undefined> {
  const known = new Map<string, string | undefined>();
  return async (id) => {
    if (!known.has(id)) {
      const row = await memory.store.get(keys.ns, Buffer.from(id, 'base64url'));
      known.set(id, row && isLive(row, memory.now()) ? open(keys, row)?.key : undefined);
    }
    return known.get(id);
  };
}
