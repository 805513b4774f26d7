export { fakeClock } from './fake-clock.ts';
export { runPack } from './run-pack.ts';
export { type StoreHarness, storeContract } from './store-contract.ts';
export { type TestServer, testServer } from './test-server.ts';
