import { testServer } from '../../packages/helmdeck/src/testing/index.ts';
import { countingPack } from './counting-pack.ts';

// One node of several, in a process of its own: settings come from the environment, the pack counts into a file.
const { COUNT_FILE, ...env } = process.env as Record<string, string>;
const server = await testServer({ env, socket: true, packs: [countingPack(COUNT_FILE!)] });
process.once('message', () => server.close().then(() => process.exit(0)));
process.send!({ url: server.url, token: await server.token('ada') });
