import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { groupId, namespaceKeys, rowId, seal } from '../packages/helmdeck/src/memory/crypto/sealed.ts';
import { openSqliteStore } from '../packages/helmdeck/src/stores/sqlite/store.ts';

// A minimal durable, encrypted store: it looks up, seals and commits a row as Helmdeck does, without authentication
// and validation.
const store = openSqliteStore(process.env.HELMDECK_DB!, { now: Date.now });
const keys = namespaceKeys(Buffer.alloc(16, 1), 1, Buffer.alloc(32, 2));
const { generation } = await store.createNamespace(keys.ns, Buffer.alloc(64));
const group = groupId(keys, 'category', 'user_facts');

const app = new Hono();
app.post('/minimal', async (c) => {
  const { key, value } = await c.req.json();
  const id = rowId(keys, 'fact', key);
  const rev = ((await store.get(keys.ns, id))?.rev ?? 0) + 1;
  const nowMs = Date.now();
  const columns = {
    id,
    kind: 'fact',
    group,
    rev,
    createdMs: nowMs,
    updatedMs: nowMs,
    expiresMs: nowMs * 2,
  } as const;
  const row = seal(keys, columns, { key, value, category: 'user_facts', tags: [], version: rev });
  await store.apply({ ns: keys.ns, generation }, [{ type: 'put', row, ifRev: rev - 1 }]);
  return c.json({ key, version: rev });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.send!({ url: `http://127.0.0.1:${port}` }),
);
process.on('disconnect', () => process.exit(0));
