import { AppError } from '../../errors.ts';
import { listEntries, NOTE_POLICY, recallEntry } from '../../memory/facts/notes.ts';
import { memoryContext } from '../../memory/facts/overview.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { type FactRules, validateFact } from '../../memory/facts/validate-fact.ts';
import type { Memory } from '../../memory/memory.ts';
import { hasScope, mayOnlyPropose } from '../../memory/scopes.ts';
import { enterSpace, type SpaceServices } from '../../memory/spaces/enter-space.ts';
import { type SpaceRole, unknownSpace } from '../../memory/spaces/space.ts';
import type { Run } from '../run.ts';
import { entryView, type PackSpace } from './pack-memory.ts';

/** `services`: absent while memory is off. */
export function createPackSpace(
  run: Run,
  { services, rules }: { services: SpaceServices | undefined; rules: FactRules },
  slug: string,
): PackSpace {
  const { source, trust, scopes } = run;
  async function enter(scope: string, needed: SpaceRole): Promise<Memory> {
    if (!services || !run.spaceAccess) throw unknownSpace();
    if (!hasScope(scopes, scope))
      throw new AppError('insufficient_scope', `This needs the scope ${scope}.`, { scopes: [scope] });
    return enterSpace(services, run.spaceAccess, slug, needed);
  }
  const read = () => enter('memory:read', 'reader');
  return {
    slug,
    async recall(key) {
      const entry = await recallEntry(await read(), key);
      return entry && entryView(entry);
    },
    list: async (prefix = '', { limit = NOTE_POLICY.maxListed } = {}) =>
      (await listEntries(await read(), prefix, limit)).map(entryView),
    context: async () => memoryContext(await read()),
    async store(key, value, { category, tags, ttlSeconds } = {}) {
      const memory = await enter('memory:propose', 'proposer');
      const fact = validateFact({ key, value, category, tags, ttl_seconds: ttlSeconds }, rules);
      const options = { source, trust, proposeOnly: mayOnlyPropose(scopes) };
      return (await rememberFact(memory, fact, options)).status;
    },
  };
}
