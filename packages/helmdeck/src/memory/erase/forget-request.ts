import { AppError } from '../../errors.ts';
import type { AccessAudit } from '../access-audit.ts';
import type { Memory } from '../memory.ts';
import { type Caller, fullCallerName } from '../namespace.ts';
import { memoryName } from '../spaces/space-memory.ts';
import { eraseMemory } from './erase-memory.ts';
import { forget, parseScope, scopeForm } from './forget.ts';
import type { Receipt, ReceiptSigner } from './receipts.ts';

/** The response to a forget request, the same on every surface. */
export interface ForgetAnswer {
  scope: string;
  deleted: number;
  receipt?: Receipt;
}

/** Forgets what a scope names and audits it: the form of the scope and a count, nothing that was forgotten. */
export async function forgetOnRequest(
  { audit, signer }: { audit: AccessAudit; signer: ReceiptSigner },
  memory: Memory,
  scopeText: unknown,
  actor: Caller,
): Promise<ForgetAnswer> {
  const scope = parseScope(scopeText);
  const who = { actor: fullCallerName(actor), tenant: actor.tenant, target: memoryName(memory) };
  if (scope.type === 'erase' && memory.seat)
    throw new AppError('invalid_input', 'A space is erased by DELETE /api/v1/spaces/{slug}.', {
      reason: 'erase_space',
    });
  if (scope.type === 'erase') {
    const receipt = await eraseMemory(memory, signer);
    await audit.record({ action: 'erase', ...who, detail: `receipt ${receipt.receipt_id}` });
    return { scope: String(scopeText), deleted: receipt.rows, receipt };
  }
  const deleted = await forget(memory, scope);
  const form = scopeForm(scope);
  // Requests for a key that does not exist change nothing and could fill the audit.
  if (form !== 'key:' || deleted > 0)
    await audit.record({ action: 'forget', ...who, detail: `${form} ${deleted} deleted` });
  return { scope: String(scopeText), deleted };
}
