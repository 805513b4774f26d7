import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '../../../errors.ts';
import type { Terminal } from '../deps.ts';
import { readStdin } from './files.ts';

/** Reads a secret: from stdin, or on a terminal from a prompt that does not echo. Never from an argument, which `ps` and the shell history show. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const text = terminal.in.isTTY ? await prompt(terminal, question) : await readStdin(terminal.in);
  const secret = text.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new AppError('invalid_input', 'Nothing was entered.', {
    reason: 'usage',
    hint: 'Type it at the prompt, or pass it on stdin.',
  });
}

function prompt(terminal: Terminal, question: string): Promise<string> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: terminal.in, output: discard, terminal: true });
  terminal.err.write(`${question}: `); // after the echo was switched off
  return new Promise((resolve) => {
    const end = (text: string) => {
      reader.removeAllListeners('close');
      reader.close();
      terminal.err.write('\n');
      resolve(text);
    };
    reader.on('SIGINT', () => end(''));
    reader.on('close', () => end('')); // Ctrl-D
    reader.on('line', end);
  });
}
