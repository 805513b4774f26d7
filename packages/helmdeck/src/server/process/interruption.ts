import { Writable } from 'node:stream';
import type { Terminal } from '../../surfaces/cli/deps.ts';

/** Ctrl-C during a command: what was begun is undone, then the process ends. */
export interface Interruption {
  /** Registers what to undo; call the answer when it is no longer needed. */
  onInterrupt(undo: () => unknown): () => void;
  /** Leaves signals to somebody else. */
  release(): void;
}

const PATIENCE_MS = 3_000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export function createInterruption(terminal: Terminal): Interruption {
  const undos = new Set<() => unknown>();
  const onSignal = (signal: NodeJS.Signals) => {
    release(); // a second signal ends the process at once
    const exit = () => process.exit(EXIT_CODES[signal as keyof typeof EXIT_CODES]);
    if (terminal.err.isTTY) terminal.err.write('\r\u001b[K');
    // What fails from here on fails because we end it; nobody needs to read that.
    terminal.out = silence();
    terminal.err = silence();
    setTimeout(exit, PATIENCE_MS).unref();
    const undoing = [...undos].map(async (undo) => undo());
    void Promise.allSettled(undoing).then(exit);
  };
  const release = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return {
    release,
    onInterrupt(undo) {
      undos.add(undo);
      return () => undos.delete(undo);
    },
  };
}

function silence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
