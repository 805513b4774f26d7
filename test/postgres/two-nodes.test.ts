import { describe, it } from 'vitest';
import { startPostgres } from '../services/postgres.ts';
import { twoNodesCases } from '../two-nodes-cases.ts';

const server = await startPostgres();

if (typeof server === 'string') it.skip(`two nodes on one PostgreSQL: ${server}`);
else {
  const address = `${server.url()}?pool=4`;
  describe('two nodes on one PostgreSQL', () =>
    twoNodesCases({ address, another: `${address}&schema=another`, stop: server.stop }));
}
