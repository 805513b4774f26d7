import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The baseline: a Hono server that parses JSON and verifies nothing.
const app = new Hono();
app.get('/bare', (c) => c.json({ key: 'bench/1', value: 'x'.repeat(100) }));
app.post('/bare', async (c) => {
  const { key } = await c.req.json();
  return c.json({ key, stored: false });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.send!({ url: `http://127.0.0.1:${port}` }),
);
