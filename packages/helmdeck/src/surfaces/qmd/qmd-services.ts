import type { Source } from '../../memory/entry.ts';
import type { Memory } from '../../memory/memory.ts';
import type { SpaceServices } from '../../memory/spaces/enter-space.ts';
import type { SpaceIdentity } from '../../memory/spaces/space.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';

/** What the bridge depends on; passed in by the composition root. */
export interface QmdServices {
  memoryIfOn(): (SpaceServices & { recall: Recall; recallLog: RecallLog }) | undefined;
  version: string;
  log: { error(fields: object, message: string): void };
}

/** What a tool works on: the memory of one caller, and the spaces that it names. */
export interface Corpus {
  memory: Memory;
  spaces: SpaceServices;
  identity: SpaceIdentity;
  recall: Recall;
  recallLog: RecallLog;
  /** Who asks. */
  source: Source;
}
