import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { validTrust } from '../../../memory/facts/validate-fact.ts';
import { TRUST_CLASSES, type Trust } from '../../../memory/gate/trust.ts';
import { importLine, type LineReport } from '../../../memory/import-export.ts';
import { mayOnlyPropose } from '../../../memory/scopes.ts';
import { FORMAT_NAMES } from '../../../portability/formats/formats.ts';
import { createYielder } from '../../../runtime/yield-to-event-loop.ts';
import { sourceOf } from '../../http/auth.ts';
import { assertMediaType, bodyChunks } from '../../http/body.ts';
import { choiceQuery } from '../input.ts';
import type { Call, Route } from '../route.ts';
import { exportLine, importResponse } from '../schemas/move-schemas.ts';
import { foreignImportQuery, importForeignBody, isOn } from './foreign-import.ts';
import { importReport } from './import-report.ts';
import { EXPORT_FORMATS, streamExport } from './stream-export.ts';

const NDJSON = 'application/x-ndjson';
const MAX_LINE_BYTES = 1_048_576;
/** Enough concurrent lines for writes to share commits, few enough to stay in order of arrival per key. */
const CONCURRENT_LINES = 64;

/** Export and import of facts as JSON Lines, both streamed. */
export const portabilityRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/memory/export',
    tag: 'Move',
    operationId: 'exportFacts',
    takesSpace: true,
    summary: 'All facts, or everything that is kept about the caller',
    responseHeaders: ['Content-Disposition'],
    scope: 'memory:read',
    takesCaller: true,
    query: z.object({
      format: z.enum(EXPORT_FORMATS).optional().describe('absent: JSON Lines that import takes back'),
      all: z
        .string()
        .optional()
        .describe(
          '1: also versions, sources, confirmations, recalls, run records and the inbox, as JSON Lines',
        ),
    }),
    response: exportLine,
    responseType: NDJSON,
    async handler(call) {
      const format = choiceQuery(call, 'format', EXPORT_FORMATS) ?? 'jsonl';
      const memory = await call.memory();
      await memory.directory.find(memory.caller); // fails before the response begins if the namespace cannot be opened
      return streamExport(call, memory, isOn(call, 'all') ? 'all' : format);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/memory/import',
    tag: 'Move',
    operationId: 'importFacts',
    takesSpace: true,
    summary: 'Take in an export, or what another program remembers',
    scope: 'memory:propose',
    query: z.object({
      dry_run: z.string().optional().describe('1: only say what would happen'),
      trust: z.enum(TRUST_CLASSES).optional().describe('untrusted_document: every line waits in the inbox'),
      format: z
        .enum(FORMAT_NAMES as [string, ...string[]])
        .optional()
        .describe('absent or helmdeck: JSON Lines of an export; auto: by the content of any other'),
      ...foreignImportQuery,
    }),
    body: exportLine,
    bodyType: NDJSON,
    response: importResponse,
    async handler(call) {
      const dryRun = isOn(call, 'dry_run');
      const format = call.query('format');
      if (format !== undefined && format !== 'helmdeck') return importForeignBody(call, format, dryRun);
      const options = {
        source: sourceOf(call.identity, 'import'),
        trust: importTrust(call),
        proposeOnly: mayOnlyPropose(call.identity.scopes),
        rules: call.services.rules,
        dryRun,
      };
      const memory = await call.memory();
      const report = importReport<LineReport>();
      let pending: Promise<LineReport>[] = [];
      const finishPending = async () => {
        for (const line of await Promise.all(pending)) report.add(line);
        pending = [];
        report.assertSomeSucceed(dryRun);
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
      return report.answer(dryRun);
    },
  },
];

/** A line is trusted as its token is, which may store it by itself as well; the request may lower that. */
function importTrust(call: Call): Trust | undefined {
  const trust = call.query('trust');
  return trust === undefined ? undefined : validTrust(trust);
}

/** The bytes of a JSON Lines body. An empty body is reported as such, whatever its media type. */
async function* ndjsonBytes(c: Context): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const chunk of bodyChunks(c)) {
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
