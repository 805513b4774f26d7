import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { Terminal } from './deps.ts';

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
  const { out, err } = terminal;
  const interactive = terminal.in.isTTY === true && err.isTTY === true;

  function write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) =>
      out.write(text, (problem) => (problem ? reject(problem) : resolve())),
    );
  }

  return {
    json,
    interactive,
    columns: out.isTTY ? (out.columns ?? 80) : undefined,
    write,
    result: (value, text) => write(`${json ? JSON.stringify(value) : text()}\n`),
    note: (text) => {
      if (!json) err.write(`${text}\n`);
    },
    status: (text) => {
      if (!json && err.isTTY) err.write(`\r\u001b[K${text}`);
    },
    // styleText asks the stream and NO_COLOR itself.
    paint: (style, text) => styleText(style, text, { stream: out }),
    paintNote: (style, text) => styleText(style, text, { stream: err }),
    confirm: (question) => ask(terminal, question),
  };
}

function ask(terminal: Terminal, question: string): Promise<boolean> {
  const reader = createInterface({ input: terminal.in, output: terminal.err });
  return new Promise((resolve) => {
    // Ctrl-C and Ctrl-D at a question mean no.
    reader.on('SIGINT', () => reader.close());
    reader.on('close', () => resolve(false));
    reader.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      reader.close();
    });
  });
}
