import { describe, it } from 'vitest';
import { startPostgres } from '../support/services/postgres.ts';
import { twoNodeTests } from '../support/two-nodes.ts';

const postgres = await startPostgres();

describe('two nodes on one PostgreSQL', () => {
  if (typeof postgres === 'string') return it.skip(postgres);
  const db = `${postgres.url()}?pool=4`;
  twoNodeTests({ db, otherDb: `${db}&schema=ephemeral`, stop: postgres.stop });
});
