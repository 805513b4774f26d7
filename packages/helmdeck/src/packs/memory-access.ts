import type { AccessAudit } from '../memory/access-audit.ts';
import type { FactRules } from '../memory/facts.ts';
import type { Memory } from '../memory/memory.ts';
import type { Caller } from '../memory/namespace.ts';
import type { ReceiptSigner } from '../memory/receipts.ts';
import type { Recall } from '../recall/recall.ts';

/** What the memory packs are built on. They refuse with `memory_unavailable` while memory is off. */
export interface MemoryAccess {
  memoryOf(caller: Caller): Memory;
  ledger(): { audit: AccessAudit; signer: ReceiptSigner };
  recall(): Recall;
  rules: FactRules;
}
