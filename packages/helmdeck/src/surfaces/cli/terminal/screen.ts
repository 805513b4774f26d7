import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { Terminal } from '../deps.ts';

const FALLBACK_COLUMNS = 80;

type Style = Parameters<typeof styleText>[0];

/** How a command talks: results on stdout, everything about them on stderr, and with `--json` only JSON. */
export interface Screen {
  readonly json: boolean;
  /** Whether a person is at the keyboard and can be asked. */
  readonly interactive: boolean;
  /** Width to cut lines to; nothing where a program reads them. */
  readonly columns: number | undefined;
  /** A result: the text for people, or the value as JSON. */
  result(value: unknown, text: () => string): Promise<void>;
  /** Raw output, with the reader's pace respected. */
  write(text: string | Uint8Array): Promise<void>;
  /** A remark for people. */
  note(text: string): void;
  /** One line that replaces itself; an empty one takes it away. */
  status(text: string): void;
  paint(style: Style, text: string): string;
  /** Paints what goes to stderr. */
  paintNote(style: Style, text: string): string;
  /** Asks a yes-or-no question; anything but yes is no. */
  confirm(question: string): Promise<boolean>;
}

export function createScreen(terminal: Terminal, json: boolean): Screen {
  const interactive = terminal.in.isTTY === true && terminal.err.isTTY === true;

  function write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      terminal.out.write(text, (problem) => (problem ? reject(problem) : resolve())),
    );
  }

  return {
    json,
    interactive,
    columns: terminal.out.isTTY ? terminal.out.columns || FALLBACK_COLUMNS : undefined,
    write,
    result: (value, text) => write(`${json ? JSON.stringify(value) : text()}\n`),
    note: (text) => {
      if (!json) terminal.err.write(`${text}\n`);
    },
    status: (text) => {
      if (!json && terminal.err.isTTY) terminal.err.write(`\r\u001b[K${text}`);
    },
    // styleText asks the stream and NO_COLOR itself.
    paint: (style, text) => styleText(style, text, { stream: terminal.out }),
    paintNote: (style, text) => styleText(style, text, { stream: terminal.err }),
    confirm: (question) => ask(terminal, question),
  };
}

function ask(terminal: Terminal, question: string): Promise<boolean> {
  const reader = createInterface({ input: terminal.in, output: terminal.err });
  return new Promise((resolve) => {
    // Ctrl-C and Ctrl-D at a question mean no.
    reader.on('SIGINT', () => reader.close());
    reader.on('close', () => {
      terminal.err.write('\n');
      resolve(false);
    });
    reader.question(`${question} [y/N] `, (answer) => {
      reader.removeAllListeners('close');
      reader.close();
      resolve(/^y(es)?$/i.test(answer.trim()));
    });
  });
}
