import { fakeClock } from '../../testing/fake-clock.ts';
import { storeContract } from '../../testing/store-contract.ts';
import { createInMemoryStore } from './store.ts';

storeContract('in-memory', async () => {
  const clock = fakeClock();
  const store = createInMemoryStore({ now: clock.now });
  return { store, now: clock.now, advance: clock.advance, close: () => store.close() };
});
