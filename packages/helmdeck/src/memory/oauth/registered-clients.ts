import { createHash } from 'node:crypto';
import { rowId } from '../crypto/sealed.ts';
import { type MemoryParts, type Plan, putOp, readEntry, transact } from '../memory.ts';

/** What an application says of itself, when it registers or in its metadata document. It is public, so it has no secret. */
export interface RegisteredClient {
  name: string;
  redirectUris: string[];
}

const DAY_MS = 86_400_000;
/** A registration that is not used for so long is dropped. */
const UNUSED_MS = 90 * DAY_MS;
/** Registration is open to all, so those that no person has approved are limited: the least recent one makes room. */
const MAX_UNAPPROVED = 500;
const QUEUE = 'oauth-clients';

/**
 * Registers an application and returns its id, which is a hash of its name and redirect URIs: one that registers before
 * every connect keeps its id and takes one row.
 */
export async function registerClient(parts: MemoryParts, client: RegisteredClient): Promise<string> {
  const { name, redirectUris } = client;
  const digest = createHash('sha256').update(JSON.stringify([name, redirectUris.toSorted()]));
  const clientId = `app_${digest.digest('base64url').slice(0, 32)}`;
  await write(parts, clientId, client, false);
  return clientId;
}

/** Notes that a person approved the application, or that it is still connected. */
export async function noteClientUse(parts: MemoryParts, clientId: string): Promise<void> {
  const client = await findClient(parts, clientId);
  if (client) await write(parts, clientId, client, true);
}

export async function findClient(
  parts: MemoryParts,
  clientId: string,
): Promise<RegisteredClient | undefined> {
  const { system } = parts.directory;
  const entry = await readEntry(parts, system, rowId(system, 'oauth-client', clientId));
  return entry && (JSON.parse(entry.value) as RegisteredClient);
}

/** Writes at most once a day for an application that is in use. */
function write(
  parts: MemoryParts,
  clientId: string,
  client: RegisteredClient,
  approved: boolean,
): Promise<void> {
  return transact(
    parts,
    async () => parts.directory.system,
    QUEUE,
    async (keys): Promise<Plan<void>> => {
      const nothing: Plan<void> = { ops: [], result: undefined };
      const id = rowId(keys, 'oauth-client', clientId);
      const unapproved = rowId(keys, 'oauth-client', 'unapproved');
      const before = await parts.store.get(keys.ns, id);
      const nowMs = parts.now();
      const isApproved = approved || (before !== undefined && before.group === null);
      const isRecent = before !== undefined && nowMs - before.updatedMs < DAY_MS;
      if (isRecent && (before.group === null) === isApproved) return nothing;
      const put = putOp(
        keys,
        {
          id,
          kind: 'oauth-client',
          group: isApproved ? null : unapproved,
          content: { key: clientId, value: JSON.stringify(client) },
          createdMs: before?.createdMs ?? nowMs,
          updatedMs: nowMs,
          expiresMs: nowMs + UNUSED_MS,
        },
        before,
      );
      if (isApproved || before) return { ops: [put], result: undefined };
      const others = await parts.store.scan(keys.ns, {
        kinds: ['oauth-client'],
        group: unapproved,
        limit: MAX_UNAPPROVED,
      });
      const evicted = others.length < MAX_UNAPPROVED ? [] : others.slice(0, 1);
      return {
        ops: [...evicted.map((row) => ({ type: 'delete' as const, id: row.id })), put],
        result: undefined,
      };
    },
  );
}
