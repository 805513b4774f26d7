import { parentPort, workerData } from 'node:worker_threads';
import { findCorruption, readDatabaseFile } from '../database-file.ts';

// Worker thread of start-integrity-check.ts: reading the whole file on the main thread would block every request.

parentPort!.postMessage(readDatabaseFile((workerData as { path: string }).path, findCorruption));
