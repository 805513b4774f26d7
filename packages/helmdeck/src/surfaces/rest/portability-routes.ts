import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { validTrust } from '../../memory/facts/validate-fact.ts';
import { TRUST_CLASSES, type Trust } from '../../memory/gate/trust.ts';
import { exportFacts, importLine, type LineReport } from '../../memory/import-export.ts';
import { mayOnlyPropose } from '../../memory/scopes.ts';
import { createYielder } from '../../runtime/yield-to-event-loop.ts';
import { sourceOf } from '../http/auth.ts';
import { assertMediaType } from '../http/body.ts';
import type { Call, Route } from './route.ts';
import { exportLine, importResponse } from './schemas/fact-schemas.ts';

const NDJSON = 'application/x-ndjson';
const CHUNK_CHARS = 65_536;
const MAX_LINE_BYTES = 1_048_576;
/** Enough concurrent lines for writes to share commits, few enough to stay in order of arrival per key. */
const CONCURRENT_LINES = 64;
/** However long an import is, its report must fit in the memory of the server and the client. */
const MAX_REPORTED = 1_000;
const MAX_FAILED = 10_000;

/** Export and import of facts as JSON Lines, both streamed. */
export const portabilityRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/export',
    tag: 'Move',
    operationId: 'exportFacts',
    summary: 'All facts as JSON Lines',
    responseHeaders: ['Content-Disposition'],
    scope: 'memory:read',
    takesCaller: true,
    response: exportLine,
    responseType: NDJSON,
    async handler(call) {
      const memory = await call.memory();
      await memory.directory.find(memory.caller); // fails before the response begins if the namespace cannot be opened
      const facts = exportFacts(memory);
      const encoder = new TextEncoder();
      const body = new ReadableStream({
        async pull(controller) {
          // Many lines per chunk: a chunk costs far more than a line.
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
    operationId: 'importFacts',
    summary: 'Take in an export, line by line',
    scope: 'memory:propose',
    query: z.object({
      dry_run: z.string().optional().describe('1: only say what would happen'),
      trust: z.enum(TRUST_CLASSES).optional().describe('untrusted_document: every line waits in the inbox'),
    }),
    body: exportLine,
    bodyType: NDJSON,
    response: importResponse,
    async handler(call) {
      const dryRun = ['1', 'true'].includes(call.query('dry_run') ?? '');
      const options = {
        source: sourceOf(call.identity, 'import'),
        trust: importTrust(call),
        proposeOnly: mayOnlyPropose(call.identity.scopes),
        rules: call.services.rules,
        dryRun,
      };
      const memory = await call.memory();
      const report = importReport();
      let pending: Promise<LineReport>[] = [];
      const finishPending = async () => {
        for (const line of await Promise.all(pending)) report.add(line);
        pending = [];
        if (report.counts.failed >= MAX_FAILED) throw tooManyFailures(report.counts, dryRun);
      };
      let number = 0;
      const yieldIfDue = createYielder();
      for await (const text of textLines(ndjsonBytes(call.c))) {
        number++;
        if (text.trim() !== '') pending.push(importLine(memory, number, text, options));
        await yieldIfDue(); // checking long texts takes long
        if (number % CONCURRENT_LINES !== 0) continue;
        await finishPending();
        await yieldToEventLoop(); // blank and invalid lines await nothing, and would block other requests
      }
      await finishPending();
      const { stored, ...others } = report.counts;
      return { dry_run: dryRun, stored, replaced: report.replaced(), ...others, ...report.lines() };
    },
  },
];

/** A line is trusted as its token is, which may store it by itself as well; the request may lower that. */
function importTrust(call: Call): Trust | undefined {
  const trust = call.query('trust');
  return trust === undefined ? undefined : validTrust(trust);
}

type Counts = Record<LineReport['status'], number>;

/** Counts every line and lists the first of each status, failures before all others because they need action. */
function importReport() {
  const counts: Counts = { stored: 0, proposed: 0, unchanged: 0, skipped: 0, failed: 0 };
  const failed: LineReport[] = [];
  const other: LineReport[] = [];
  const stored: LineReport[] = [];
  let replaced = 0;
  return {
    counts,
    replaced: () => replaced,
    add(line: LineReport) {
      counts[line.status]++;
      if (line.replaces) replaced++;
      const list = line.status === 'failed' ? failed : line.status === 'stored' ? stored : other;
      if (list.length < MAX_REPORTED) list.push(line);
    },
    lines() {
      const all = [...failed, ...other.slice(0, MAX_REPORTED - failed.length), ...stored];
      const omitted =
        counts.stored + counts.proposed + counts.unchanged + counts.skipped + counts.failed - all.length;
      const lines = all.sort((a, b) => a.line - b.line);
      return omitted === 0 ? { lines } : { lines, lines_omitted: omitted };
    },
  };
}

function tooManyFailures({ failed, stored }: Counts, dryRun: boolean): AppError {
  const outcome = dryRun ? `${stored} would have been stored` : `${stored} were stored`;
  return new AppError(
    'invalid_input',
    `The import stopped because ${failed} lines failed; before that ${outcome}.`,
    {
      reason: 'too_many_failures',
      hint: 'Check that the file is an export; "dry_run=1" shows what is wrong.',
    },
  );
}

/** The bytes of a JSON Lines body. An empty body is reported as such, whatever its media type. */
async function* ndjsonBytes(c: Context): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  // Not cancelled when the import stops early: that would close the connection before the response.
  for await (const chunk of c.req.raw.body?.values({ preventCancel: true }) ?? []) {
    if (isEmpty && chunk.length > 0) {
      assertMediaType(c, NDJSON);
      isEmpty = false;
    }
    yield chunk;
  }
  if (isEmpty)
    throw new AppError('invalid_input', 'The body is empty; send JSON Lines.', { reason: 'bad_type' });
}

/** The lines of a stream, decoded as strict UTF-8, wherever the chunks are split. */
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
      'The body is not valid UTF-8; the lines before the first invalid one were imported.',
      { reason: 'bad_type' },
    );
  }
  yield rest;
}
