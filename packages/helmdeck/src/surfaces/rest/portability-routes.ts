import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { exportFacts, importLine, type LineReport } from '../../memory/portability.ts';
import { sourceOf } from './fact-routes.ts';
import { assertMediaType } from './input.ts';
import type { Route } from './route.ts';
import { exportLine, importAnswer } from './schemas.ts';

const NDJSON = 'application/x-ndjson';
const CHUNK_CHARS = 65_536;
const MAX_LINE_BYTES = 1_048_576;
/** Enough lines under way for writes to share commits, few enough to stay in order of arrival per key. */
const LINES_AT_ONCE = 64;

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
      const { body } = call.c.req.raw;
      if (!body)
        throw new AppError('invalid_input', 'The body is empty; send JSON Lines.', { reason: 'bad_type' });
      assertMediaType(call.c, NDJSON);
      const dryRun = ['1', 'true'].includes(call.query('dry_run') ?? '');
      const options = {
        source: { ...sourceOf(call), surface: 'import' },
        rules: call.services.rules,
        dryRun,
      };
      const memory = await call.memory();
      const lines: LineReport[] = [];
      let underWay: Promise<LineReport>[] = [];
      const settle = async () => {
        lines.push(...(await Promise.all(underWay)));
        underWay = [];
      };
      let number = 0;
      for await (const text of textLines(body)) {
        number++;
        if (text.trim() === '') continue;
        underWay.push(importLine(memory, number, text, options));
        if (underWay.length === LINES_AT_ONCE) await settle();
      }
      await settle();
      const count = (status: LineReport['status']) => lines.filter((line) => line.status === status).length;
      return {
        dry_run: dryRun,
        stored: count('stored'),
        unchanged: count('unchanged'),
        skipped: count('skipped'),
        failed: count('failed'),
        lines,
      };
    },
  },
];

/** Lines of a stream, as strict UTF-8, however the chunks fall. */
async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
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
