import type { MemoryParts } from '../../memory/memory.ts';
import type { Recall } from '../../recall/recall.ts';

/** What the bridge depends on; passed in by the composition root. */
export interface QmdServices {
  memoryIfOn(): { parts: MemoryParts; recall: Recall } | undefined;
  version: string;
  log: { error(fields: object, message: string): void };
}
