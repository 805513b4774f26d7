import { usePipelines } from '../pipelines/pipeline-queries.ts';
import { fits, textsOfPack, textsOfPipeline } from './catalogue/families.ts';
import { usePacks } from './pack-queries.ts';

const SHOWN = 4;

export interface Runnable {
  kind: 'pack' | 'pipeline';
  id: string;
  name: string;
}

/** The first few packs and pipelines that match the words; none without words. */
export function useRunnable(words: string): Runnable[] {
  const packs = usePacks().data ?? [];
  const pipelines = usePipelines().data ?? [];
  if (words === '') return [];
  return [
    ...pipelines
      .filter((pipeline) => fits(words, textsOfPipeline(pipeline)))
      .map(({ id, name }): Runnable => ({ kind: 'pipeline', id, name })),
    ...packs
      .filter((pack) => pack.allowed && fits(words, textsOfPack(pack)))
      .map(({ name }): Runnable => ({ kind: 'pack', id: name, name })),
  ].slice(0, SHOWN);
}
