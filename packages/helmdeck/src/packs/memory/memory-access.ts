import { z } from 'zod';
import type { PackContext } from '../../engine/pack/pack.ts';
import type { AccessAudit } from '../../memory/access-audit.ts';
import type { ReceiptSigner } from '../../memory/erase/receipts.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { NamedMemory } from '../../memory/spaces/enter-space.ts';
import type { SpaceRole } from '../../memory/spaces/space.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';

/** The field of memory packs that names a space. */
export const SPACE_INPUT = z.string().optional().describe('A space shared with a team; else the user’s own memory');

/** What the memory packs need from the server. The functions throw `memory_unavailable` while memory is off. */
export interface MemoryAccess {
  memoryOf(caller: Caller): Memory;
  /** The caller's own memory or, if one is named, that of a space that the run gets into with this role. */
  memoryIn(ec: Pick<PackContext, 'caller' | 'spaceAccess'>, space: string | undefined, needed: SpaceRole): Promise<Memory>;
  /** The memories that a list of spaces names. */
  memoriesIn(ec: Pick<PackContext, 'caller' | 'spaceAccess'>, spaces: string): Promise<NamedMemory[]>;
  ledger(): { audit: AccessAudit; signer: ReceiptSigner };
  recall(): Recall;
  recallLog(): RecallLog;
  adviser(): Adviser;
  rules: FactRules;
}
