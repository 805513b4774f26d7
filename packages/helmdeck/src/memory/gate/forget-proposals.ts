import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { groupId, type NamespaceKeys, rowId } from '../crypto/sealed.ts';
import { type Kind, PROPOSAL_KINDS } from '../entry.ts';
import { type Memory, walkEntries } from '../memory.ts';
import type { Op } from '../store.ts';

// What a forget takes out of the inbox: the proposals that its scope names, as if they were facts. They are not counted in
// its answer, which would tell a token without `memory:review` that they exist.

const CHUNK_ROWS = 200;

/** The part of a scope that concerns facts. */
export type FactScope =
  | { type: 'all' | 'facts' }
  | { type: 'category' | 'tag' | 'prefix' | 'key' | 'fact'; name: string };

/** Deletes the proposals of a scope, and with `all` the fingerprints of declined texts; returns how many proposals. */
export async function forgetProposals(
  memory: Memory,
  keys: NamespaceKeys,
  scope: FactScope,
): Promise<number> {
  switch (scope.type) {
    case 'all':
      await deleteWhere(memory, keys, { kinds: ['declined', 'decision'] });
      return deleteWhere(memory, keys, { kinds: PROPOSAL_KINDS });
    case 'facts':
      // The answers to decisions name keys, and so do proposals.
      await deleteWhere(memory, keys, { kinds: ['decision'] });
      return deleteWhere(memory, keys, { kinds: PROPOSAL_KINDS });
    case 'category':
      return deleteWhere(memory, keys, {
        kinds: PROPOSAL_KINDS,
        group: groupId(keys, 'category', scope.name),
      });
    case 'key':
    case 'fact':
      // In a space each proposer has a row of their own for a key.
      if (memory.seat) return deleteMatching(memory, keys, ({ key }) => key === scope.name);
      return deleteIds(
        memory,
        keys,
        PROPOSAL_KINDS.map((kind) => rowId(keys, kind, scope.name)),
      );
    case 'tag':
    case 'prefix':
      return deleteMatching(memory, keys, (entry) =>
        scope.type === 'tag' ? entry.tags?.includes(scope.name) : entry.key.startsWith(scope.name),
      );
  }
}

async function deleteMatching(
  memory: Memory,
  keys: NamespaceKeys,
  matches: (entry: { key: string; tags?: string[] }) => boolean | undefined,
): Promise<number> {
  let deleted = 0;
  let ids: Buffer[] = [];
  for await (const entry of walkEntries(memory, keys, { kinds: PROPOSAL_KINDS })) {
    if (matches(entry)) ids.push(entry.id);
    if (ids.length < CHUNK_ROWS) continue;
    deleted += await deleteIds(memory, keys, ids);
    ids = [];
  }
  return deleted + (await deleteIds(memory, keys, ids));
}

async function deleteIds(memory: Memory, keys: NamespaceKeys, ids: Buffer[]): Promise<number> {
  if (ids.length === 0) return 0;
  const ops = ids.map((id): Op => ({ type: 'delete', id }));
  return (await memory.store.apply(keys, ops)).deleted;
}

async function deleteWhere(
  memory: Memory,
  keys: NamespaceKeys,
  where: { kinds: readonly Kind[]; group?: Buffer },
): Promise<number> {
  let deleted = 0;
  for (let chunk = CHUNK_ROWS; chunk === CHUNK_ROWS; await yieldToEventLoop()) {
    chunk = (await memory.store.apply(keys, [{ type: 'deleteWhere', ...where, limit: CHUNK_ROWS }])).deleted;
    deleted += chunk;
  }
  return deleted;
}
