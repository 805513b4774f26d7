import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { caller, questionAt, startRecall } from './recall-server.ts';

// The first search of a server that was just started, and the longest the event loop stood still meanwhile; in a process of its own, because
// what a process did before shows in its garbage collector. Leaves a snapshot behind.
const SETTLED_MS = 500;
const [folder, rows] = [process.argv[2]!, Number(process.argv[3])];
const { server, memory } = await startRecall(folder);
await memory.directory.find(caller);
// A server that has just begun to listen is still busy with its own start.
await setTimeout(SETTLED_MS);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const startMs = performance.now();
await server.memory!.recall.search(memory, questionAt(0, rows));
const ms = Math.round(performance.now() - startMs);
delay.disable();
await server.close();
process.send!({ ms, stallMs: Math.round(delay.max / 1e6) });
process.disconnect();
