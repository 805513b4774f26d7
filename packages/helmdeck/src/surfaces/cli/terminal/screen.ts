import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { Terminal } from '../deps.ts';

const FALLBACK_COLUMNS = 80;

type Style = Parameters<typeof styleText>[0];

/** The output of a command: results on stdout, notes about them on stderr, and with `--json` only JSON. */
export interface Screen {
  readonly json: boolean;
  /** Whether stdin and stderr are terminals, so that the user can be asked. */
  readonly interactive: boolean;
  /** The width to cut lines to; undefined if stdout is not a terminal. */
  readonly columns: number | undefined;
  /** A result: the text for people, or the value as JSON. */
  result(value: unknown, text: () => string): Promise<void>;
  /** Raw output; resolves when it is flushed, which gives backpressure. */
  write(text: string | Uint8Array): Promise<void>;
  /** A note on stderr; suppressed with `--json`. */
  note(text: string): void;
  /** Whether stderr is a terminal, where `status` shows something. */
  readonly hasStatusLine: boolean;
  /** A status line that replaces the previous one; an empty text clears it. */
  status(text: string): void;
  paint(style: Style, text: string): string;
  /** Like `paint`, for stderr. */
  paintNote(style: Style, text: string): string;
  /** Asks a yes-or-no question; anything but yes is no. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line, which begins with `initial` to be edited; undefined after Ctrl-C or Ctrl-D. */
  ask(question: string, initial?: string): Promise<string | undefined>;
}

export function createScreen(terminal: Terminal, json: boolean): Screen {
  const interactive = terminal.in.isTTY === true && terminal.err.isTTY === true;
  const hasStatusLine = !json && terminal.err.isTTY === true;

  function write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      terminal.out.write(text, (problem) => (problem ? reject(problem) : resolve())),
    );
  }

  return {
    json,
    interactive,
    hasStatusLine,
    columns: terminal.out.isTTY ? terminal.out.columns || FALLBACK_COLUMNS : undefined,
    write,
    result: (value, text) => write(`${json ? JSON.stringify(value) : text()}\n`),
    note: (text) => {
      if (!json) terminal.err.write(`${text}\n`);
    },
    status: (text) => {
      if (hasStatusLine) terminal.err.write(`\r\u001b[K${text}`);
    },
    // styleText respects the stream and NO_COLOR.
    paint: (style, text) => styleText(style, text, { stream: terminal.out }),
    paintNote: (style, text) => styleText(style, text, { stream: terminal.err }),
    confirm: async (question) => /^y(es)?$/i.test((await ask(terminal, `${question} [y/N] `))?.trim() ?? ''),
    ask: (question, initial) => ask(terminal, question, initial),
  };
}

function ask(terminal: Terminal, question: string, initial = ''): Promise<string | undefined> {
  const reader = createInterface({ input: terminal.in, output: terminal.err });
  return new Promise((resolve) => {
    reader.on('SIGINT', () => reader.close());
    reader.on('close', () => {
      terminal.err.write('\n');
      resolve(undefined);
    });
    reader.question(question, (answer) => {
      reader.removeAllListeners('close');
      reader.close();
      resolve(answer);
    });
    if (initial !== '') reader.write(initial);
  });
}
