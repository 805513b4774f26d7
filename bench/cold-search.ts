import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { caller, questionAt, startRecall } from './recall-server.ts';

// Measures the first search of a server that was just started, and the longest event loop stall meanwhile. Runs in a
// process of its own, because garbage of earlier work would show in the result. Leaves a snapshot behind.
const STARTUP_MS = 500;
const [folder, rows] = [process.argv[2]!, Number(process.argv[3])];
const { server, memory } = await startRecall(folder);
await memory.directory.find(caller);
// Right after it started, a server is still busy with itself.
await setTimeout(STARTUP_MS);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const startMs = performance.now();
await server.memory!.recall.search(memory, questionAt(0, rows), () => {});
const ms = Math.round(performance.now() - startMs);
delay.disable();
await server.close();
process.send!({ ms, stallMs: Math.round(delay.max / 1e6) });
process.disconnect();
