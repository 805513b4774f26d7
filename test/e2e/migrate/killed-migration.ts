import { copyStore } from '../../../packages/helmdeck/src/server/migrate/copy-store.ts';
import { openStore } from '../../../packages/helmdeck/src/stores/open.ts';

// A migration that kills itself with SIGKILL right after its first batch reached the destination.
const [from, to] = process.argv.slice(2) as [string, string];
const source = await openStore(from, { now: Date.now });
const destination = await openStore(to, { now: Date.now });
const dying = {
  ...destination,
  async apply(...args: Parameters<typeof destination.apply>) {
    const applied = await destination.apply(...args);
    process.kill(process.pid, 'SIGKILL');
    return applied;
  },
};
await copyStore(source, dying, { now: Date.now });
process.exit();
