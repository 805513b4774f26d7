import { toAppError } from '../../errors.ts';
import { SYSTEM_NS, VAULT_REALM } from '../../memory/crypto/namespace-record.ts';
import { examinePostgres } from '../../stores/postgres/examine.ts';
import type { Check } from '../../surfaces/cli/deps.ts';
import { counted } from '../../surfaces/cli/terminal/duration.ts';
import type { DatabaseSummary } from '../database-file.ts';
import { fail, ok, warn } from './check-result.ts';

export const isPostgres = (address: string) => /^postgres(ql)?:/.test(address);

/** Checks that a PostgreSQL server responds and is set up for durable commits, and reads the canaries from it. */
export async function checkPostgres(
  name: string,
  address: string,
): Promise<{ checks: Check[]; summary?: Pick<DatabaseSummary, 'canary' | 'vaultCanary'> }> {
  try {
    const found = await examinePostgres(address, [SYSTEM_NS, VAULT_REALM.system]);
    const [canary, vaultCanary] = found.records;
    const size = `${counted(found.rows, 'row')} in ${counted(found.namespaces, 'namespace')}`;
    const users = found.nodes === 0 ? '' : `, used by ${counted(found.nodes, 'running node')}`;
    const checks = [ok(name, `PostgreSQL ${found.version}: ${size}${users}.`)];
    for (const warning of found.warnings) checks.push(warn(name, warning, 'See docs/howto/postgresql.md.'));
    return { checks, summary: { canary, vaultCanary } };
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return { checks: [fail(name, message, hint)] };
  }
}
