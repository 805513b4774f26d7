import { createAdviser } from '../advice/adviser.ts';
import { createRecentTexts } from '../advice/recent-texts.ts';
import type { Adviser } from '../memory/facts/store-answer.ts';
import type { MemoryParts } from '../memory/memory.ts';
import { createRecall, type Recall } from '../recall/recall.ts';
import type { QueueLog } from '../recall/vectors/embed-queue.ts';
import { openWordbook } from '../recall/words/wordbook.ts';
import type { Config } from './config/config.ts';
import { isInMemory } from './config/config-values.ts';
import { createEmbedder } from './create-embedder.ts';
import { startImageLoader } from './image-loader.ts';
import { openSnapshotFiles, snapshotFolder } from './snapshot-files.ts';

/** Builds recall and the adviser beside it. */
export function openRecall(
  config: Config,
  parts: MemoryParts,
  log: QueueLog,
): { recall: Recall; adviser: Adviser } {
  const snapshots = isInMemory(config.db) ? undefined : openSnapshotFiles(snapshotFolder(config));
  const loader = isInMemory(config.db) ? undefined : startImageLoader(config.db, parts.store, parts.now);
  const embedder = createEmbedder(config, { fetch, now: parts.now });
  // Loads the model now; the first query would time out while it loads.
  if (config.embeddings?.provider === 'builtin') void embedder?.embed(['warm'], 'query').catch(() => {});
  const recentTexts = createRecentTexts(parts.now);
  const recall = createRecall(parts, {
    wordbook: openWordbook(),
    maxBytes: config.recallCacheBytes,
    snapshots,
    loader,
    embedder,
    onRecalled: recentTexts.noteRecalled,
    onForgotten: (ns, text) => recentTexts.noteForgotten(ns, [text]),
    onProblem: (what) => log.warn({}, what),
    log,
  });
  // A fact that another node forgot must not outlive its row in a snapshot here. If notices were missed, no snapshot of a
  // cached image is trusted; one of another image is deleted when it is loaded and turns out to be behind.
  parts.store.sharing?.watch((notice) => {
    if (!notice) void recall.images.dropSnapshots();
    else if (notice.deleted) void recall.images.dropSnapshot(notice.ns);
  });
  const adviser = createAdviser(parts, { images: recall.images, recentTexts });
  const tidy = async () => {
    await snapshots?.prune();
    await recall.tidy();
  };
  return { recall: { ...recall, tidy }, adviser };
}
