import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { exportFacts, importLine, type LineReport } from '../../memory/import-export.ts';
import { sourceOf } from '../http/auth.ts';
import { assertMediaType } from '../http/body.ts';
import type { Route } from './route.ts';
import { exportLine, importAnswer } from './schemas/fact-schemas.ts';

const NDJSON = 'application/x-ndjson';
const CHUNK_CHARS = 65_536;
const MAX_LINE_BYTES = 1_048_576;
/** Enough lines under way for writes to share commits, few enough to stay in order of arrival per key. */
const LINES_AT_ONCE = 64;
/** However long an import is, its report has to fit into the server's and the client's memory. */
const MAX_REPORTED = 1_000;
const MAX_FAILED = 10_000;

export const portabilityRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/export',
    tag: 'Move',
    summary: 'All facts as JSON Lines',
    scope: 'memory:read',
    takesCaller: true,
    response: exportLine,
    responseType: NDJSON,
    async handler(call) {
      const memory = await call.memory();
      await memory.directory.find(memory.caller); // what cannot be opened must say so before the answer begins
      const facts = exportFacts(memory);
      const encoder = new TextEncoder();
      const body = new ReadableStream({
        async pull(controller) {
          // Many lines to a chunk: a chunk costs far more than a line.
          let lines = '';
          while (lines.length < CHUNK_CHARS) {
            const { value, done } = await facts.next();
            if (done) break;
            lines += `${JSON.stringify(value)}\n`;
          }
          if (lines === '') controller.close();
          else controller.enqueue(encoder.encode(lines));
        },
        cancel: async () => void (await facts.return(undefined)),
      });
      const headers = {
        'content-type': NDJSON,
        'content-disposition': 'attachment; filename="helmdeck-export.jsonl"',
      };
      return new Response(body, { headers: { ...call.headers, ...headers } });
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/import',
    tag: 'Move',
    summary: 'Take in an export, line by line',
    scope: 'memory:write',
    query: z.object({ dry_run: z.string().optional().describe('1: only say what would happen') }),
    body: exportLine,
    bodyType: NDJSON,
    response: importAnswer,
    async handler(call) {
      const dryRun = ['1', 'true'].includes(call.query('dry_run') ?? '');
      const options = {
        source: sourceOf(call.identity, 'import'),
        rules: call.services.rules,
        dryRun,
      };
      const memory = await call.memory();
      const report = importReport();
      let underWay: Promise<LineReport>[] = [];
      const settle = async () => {
        for (const line of await Promise.all(underWay)) report.add(line);
        underWay = [];
        if (report.counts.failed >= MAX_FAILED) throw tooManyFailures(report.counts, dryRun);
      };
      let number = 0;
      for await (const text of textLines(ndjsonBytes(call.c))) {
        number++;
        if (text.trim() !== '') underWay.push(importLine(memory, number, text, options));
        if (number % LINES_AT_ONCE !== 0) continue;
        await settle();
        await nextTurn(); // blank and bad lines wait for nothing, and others want to be served meanwhile
      }
      await settle();
      return { dry_run: dryRun, ...report.counts, ...report.lines() };
    },
  },
];

type Counts = Record<LineReport['status'], number>;

/** Counts every line and keeps the first of each sort: failures above all, because they ask for something to be done. */
function importReport() {
  const counts: Counts = { stored: 0, unchanged: 0, skipped: 0, failed: 0 };
  const failed: LineReport[] = [];
  const other: LineReport[] = [];
  const stored: LineReport[] = [];
  return {
    counts,
    add(line: LineReport) {
      counts[line.status]++;
      const kept = line.status === 'failed' ? failed : line.status === 'stored' ? stored : other;
      if (kept.length < MAX_REPORTED) kept.push(line);
    },
    lines() {
      const all = [...failed, ...other.slice(0, MAX_REPORTED - failed.length), ...stored];
      const omitted = counts.stored + counts.unchanged + counts.skipped + counts.failed - all.length;
      const lines = all.sort((a, b) => a.line - b.line);
      return omitted === 0 ? { lines } : { lines, lines_omitted: omitted };
    },
  };
}

function tooManyFailures({ failed, stored }: Counts, dryRun: boolean): AppError {
  const done = dryRun ? `${stored} would have been stored` : `${stored} were stored`;
  return new AppError(
    'invalid_input',
    `The import stopped because ${failed} lines failed; before that ${done}.`,
    {
      reason: 'too_many_failures',
      hint: 'Check that the file is an export; "dry_run=1" shows what is wrong.',
    },
  );
}

/** The bytes of a body of JSON Lines. That it is empty is said before anything about its type. */
async function* ndjsonBytes(c: Context): AsyncGenerator<Uint8Array> {
  let empty = true;
  // Not cancelled when the import stops early: that would cut the connection before the answer.
  for await (const chunk of c.req.raw.body?.values({ preventCancel: true }) ?? []) {
    if (empty && chunk.length > 0) {
      assertMediaType(c, NDJSON);
      empty = false;
    }
    yield chunk;
  }
  if (empty)
    throw new AppError('invalid_input', 'The body is empty; send JSON Lines.', { reason: 'bad_type' });
}

/** Lines of a stream, as strict UTF-8, however the chunks fall. */
async function* textLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop()!;
      if (rest.length > MAX_LINE_BYTES)
        throw new AppError('payload_too_large', `A line is longer than ${MAX_LINE_BYTES} characters.`);
      yield* parts;
    }
    rest += decoder.decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new AppError(
      'invalid_input',
      'The body is not valid UTF-8; the lines before the first bad one were taken in.',
      { reason: 'bad_type' },
    );
  }
  yield rest;
}
