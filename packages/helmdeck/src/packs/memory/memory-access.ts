import type { AccessAudit } from '../../memory/access-audit.ts';
import type { ReceiptSigner } from '../../memory/erase/receipts.ts';
import type { Adviser } from '../../memory/facts/store-answer.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Recall } from '../../recall/recall.ts';
import type { RecallLog } from '../../recall/recall-log.ts';

/** What the memory packs need from the server. The functions throw `memory_unavailable` while memory is off. */
export interface MemoryAccess {
  memoryOf(caller: Caller): Memory;
  ledger(): { audit: AccessAudit; signer: ReceiptSigner };
  recall(): Recall;
  recallLog(): RecallLog;
  adviser(): Adviser;
  rules: FactRules;
}
