import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readSecret } from './read-secret.ts';

/** A terminal that records when the echo is switched off and what is printed. */
function terminal(isTTY: boolean) {
  const events: string[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (raw: boolean) => void events.push(raw ? 'echo off' : 'echo on'),
  });
  const err = new PassThrough();
  err.on('data', (chunk) => events.push(String(chunk)));
  return { events, in: input, out: new PassThrough(), err };
}

describe('readSecret', () => {
  it('a terminal is asked with the echo off, and what is typed is not printed', async () => {
    const tty = terminal(true);
    const secret = readSecret(tty, 'Value of x');
    tty.in.write('s3cret\r');
    expect(await secret).toBe('s3cret');
    expect(tty.events).toEqual(['echo off', 'Value of x: ', 'echo on', '\n']);
  });

  it.each(['\u0003', '\u0004', '\r'])('Ctrl-C, Ctrl-D and an empty line enter nothing: %j', async (typed) => {
    const tty = terminal(true);
    const secret = readSecret(tty, 'Value of x');
    tty.in.write(typed);
    await expect(secret).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('a pipe is read to its end, without its final line break', async () => {
    const pipe = terminal(false);
    pipe.in.end('two\nlines\n');
    expect(await readSecret(pipe, 'Value of x')).toBe('two\nlines');
  });
});
