import { AppError } from '../../../errors.ts';
import type { CliDeps } from '../deps.ts';
import { readJsonFile } from './files.ts';

/** Reads the value of `--input`: a JSON object, `@file`, or `-` for stdin. */
export async function readInput(deps: CliDeps, text: string | undefined): Promise<object> {
  if (text === undefined) return {};
  const input =
    text === '-' || text.startsWith('@')
      ? await readJsonFile(text.replace(/^@/, ''), deps.terminal.in)
      : parse(text);
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  throw notAnObject();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAnObject();
  }
}

const notAnObject = () =>
  new AppError('invalid_input', '--input is not a JSON object.', {
    reason: 'usage',
    hint: 'Write it as \'{"field":"value"}\', or put it in a file and pass @file.',
  });
