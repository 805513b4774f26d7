import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { mayOnlyPropose } from '../../../memory/scopes.ts';
import { type ItemReport, importForeign } from '../../../portability/import-foreign.ts';
import { sourceOf } from '../../http/auth.ts';
import { bodyChunks } from '../../http/body.ts';
import type { Call } from '../route.ts';
import { importReport } from './import-report.ts';

const MAX_NAME_CHARS = 1_000;
const MAX_PROJECT_CHARS = 200;
const MAX_SKIPPED = 2_000;

/** Parameters of an import of another program's memory. */
export const foreignImportQuery = {
  name: z.string().max(MAX_NAME_CHARS).optional().describe('path of the file: tells Markdown files apart'),
  project: z.string().max(MAX_PROJECT_CHARS).optional().describe('what the file is about; part of keys'),
  accept: z.string().optional().describe('1: store as facts at once instead of into the inbox'),
  skip: z.string().optional().describe('numbers of lines to leave out, separated by commas'),
};

/** Imports a body of another program's format. */
export async function importForeignBody(call: Call, format: string, dryRun: boolean) {
  const memory = await call.memory();
  const input = {
    name: limited(call, 'name', MAX_NAME_CHARS) ?? '',
    project: limited(call, 'project', MAX_PROJECT_CHARS),
    format,
    bytes: bodyChunks(call.c),
  };
  const report = importReport<ItemReport>();
  const items = importForeign(memory, input, {
    source: sourceOf(call.identity, 'import'),
    rules: call.services.rules,
    adviser: call.services.memory().adviser,
    proposeOnly: mayOnlyPropose(call.identity.scopes),
    dryRun,
    accept: isOn(call, 'accept'),
    skip: skippedLines(call.query('skip')),
  });
  for await (const item of items) {
    report.add(item);
    report.assertSomeSucceed(dryRun);
  }
  return report.answer(dryRun);
}

export const isOn = (call: Call, name: string) => ['1', 'true'].includes(call.query(name) ?? '');

function limited(call: Call, name: string, maxChars: number): string | undefined {
  const text = call.query(name);
  if (text === undefined || text === '') return undefined;
  if (text.length <= maxChars) return text.toWellFormed();
  throw badQuery(`${name} has more than ${maxChars} characters.`);
}

function skippedLines(text: string | undefined): Set<number> {
  const numbers = (text ?? '').split(',').filter((each) => each !== '');
  if (numbers.length > MAX_SKIPPED || !numbers.every((each) => /^\d{1,9}$/.test(each)))
    throw badQuery(`skip must be at most ${MAX_SKIPPED} numbers of lines, separated by commas.`);
  return new Set(numbers.map(Number));
}

const badQuery = (message: string) => new AppError('invalid_input', message, { reason: 'bad_type' });
