import type { Source } from '../../memory/entry.ts';
import type { Memory, MemoryParts } from '../../memory/memory.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';

/** What the bridge depends on; passed in by the composition root. */
export interface QmdServices {
  memoryIfOn(): { parts: MemoryParts; recall: Recall; recallLog: RecallLog } | undefined;
  version: string;
  log: { error(fields: object, message: string): void };
}

/** What a tool works on: the memory of one caller. */
export interface Corpus {
  memory: Memory;
  recall: Recall;
  recallLog: RecallLog;
  /** Who asks. */
  source: Source;
}
