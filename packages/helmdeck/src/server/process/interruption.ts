import { Writable } from 'node:stream';
import type { Terminal } from '../../surfaces/cli/deps.ts';
import { onStopSignals } from './stop-signals.ts';

/** Handles Ctrl-C and SIGTERM during a command: runs the registered undo functions, then exits. */
export interface Interruption {
  /** Registers an undo function; returns how to unregister it. */
  onInterrupt(undo: () => unknown): () => void;
  /** Removes the signal handlers. */
  release(): void;
}

const UNDO_TIMEOUT_MS = 3_000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export function createInterruption(terminal: Terminal): Interruption {
  const undos = new Set<() => unknown>();
  const exitAfter = (signal: NodeJS.Signals) => process.exit(EXIT_CODES[signal as keyof typeof EXIT_CODES]);
  const undoAll = (signal: NodeJS.Signals) => {
    const exit = () => exitAfter(signal);
    if (terminal.err.isTTY) terminal.err.write('\r\u001b[K');
    // Errors from here on are caused by the interruption: do not print them.
    terminal.out = discard();
    terminal.err = discard();
    setTimeout(exit, UNDO_TIMEOUT_MS).unref();
    const undoing = [...undos].map(async (undo) => undo());
    void Promise.allSettled(undoing).then(exit);
  };
  return {
    release: onStopSignals(['SIGINT', 'SIGTERM'], undoAll, exitAfter),
    onInterrupt(undo) {
      undos.add(undo);
      return () => undos.delete(undo);
    },
  };
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
