import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { countingPack } from './counting-pack.ts';

// A node in a child process: it takes its settings from the environment, and its pack counts runs in a file.
const { COUNT_FILE, ...env } = process.env as Record<string, string>;
const server = await testServer({ env, socket: true, packs: [countingPack(COUNT_FILE!)] });
process.once('message', () => server.close().then(() => process.exit(0)));
process.send!({ url: server.url, token: await server.token('ada') });
