import { rowId } from '../memory/crypto/sealed.ts';
import type { Advice, Adviser } from '../memory/facts/store-answer.ts';
import type { ValidFact } from '../memory/facts/validate-fact.ts';
import type { Memory, MemoryParts } from '../memory/memory.ts';
import type { ImageCache } from '../recall/image/image-cache.ts';
import { namespaceMapKey } from '../runtime/namespace-map-key.ts';
import { adviseOn } from './advise.ts';
import { analyse, findConflict } from './conflict/conflict.ts';
import { createAdviceRateLimit } from './rate-limit.ts';
import type { RecentTexts } from './recent-texts.ts';

interface AdviserOptions {
  images: Pick<ImageCache, 'currentSoon' | 'follow'>;
  /** What recall reports as recalled or forgotten; read here. */
  recentTexts: Pick<RecentTexts, 'isEcho'>;
}

/** Advises on a fact before it is stored: similar facts, conflicts, and whether the text is an echo of a recent recall. */
export function createAdviser(
  parts: Pick<MemoryParts, 'changes' | 'now'>,
  { images, recentTexts }: AdviserOptions,
): Adviser {
  const rateLimit = createAdviceRateLimit(parts.now);
  /** Namespaces whose current store was advised on. */
  const advised = new Set<string>();
  parts.changes.subscribeToAll((ns, { type, kind, key }) => {
    if (type !== 'store' || !advised.delete(namespaceMapKey(ns))) return;
    // Only a text that was in the image is known as forgotten later. After the response, which need not wait for it.
    setImmediate(() => images.follow(ns, kind === 'fact' ? key : undefined));
  });

  async function advise(memory: Memory, fact: Pick<ValidFact, 'key' | 'value' | 'tags'>): Promise<Advice> {
    const keys = await memory.directory.findOrCreate(memory.caller);
    const image = await images.currentSoon(keys);
    if (image) advised.add(namespaceMapKey(keys.ns));
    const document = image?.find(rowId(keys, 'fact', fact.key));
    const before =
      document !== undefined && image!.documents.isLive(document, memory.now()) ? document : undefined;
    const current = before === undefined ? undefined : image!.documents.content(before);
    const incoming = { ...fact, tags: fact.tags ?? current?.tags ?? [] };
    const advice = image ? adviseOn(image, incoming, before, memory.now()) : {};
    return recentTexts.isEcho(keys.ns, fact.value, current?.value) ? { ...advice, echo: true } : advice;
  }

  return {
    advise: (memory, fact) =>
      rateLimit.tryAcquire(memory.directory.idOf(memory.caller)) ? advise(memory, fact) : undefined,
    review: async (memory, fact) => {
      const keys = await memory.directory.findOrCreate(memory.caller);
      const image = await images.currentSoon(keys);
      const document = image?.find(rowId(keys, 'fact', fact.key));
      return image ? adviseOn(image, { ...fact, tags: fact.tags ?? [] }, document, memory.now()) : {};
    },
    compare: (first, second) => findConflict(analyse(first), analyse(second)),
    release: rateLimit.release,
  };
}
