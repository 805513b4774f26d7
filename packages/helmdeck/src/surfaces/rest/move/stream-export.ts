import { listRuns } from '../../../engine/history/list-runs.ts';
import { exportFacts } from '../../../memory/import-export.ts';
import type { Memory } from '../../../memory/memory.ts';
import { callerName } from '../../../memory/namespace.ts';
import { hasScope } from '../../../memory/scopes.ts';
import { includesRole } from '../../../memory/spaces/space.ts';
import { isoMs } from '../../../memory/times.ts';
import { exportAll } from '../../../portability/export/export-all.ts';
import { exportMarkdown } from '../../../portability/export/export-markdown.ts';
import { exportPam } from '../../../portability/export/export-pam.ts';
import type { Call } from '../route.ts';

export const EXPORT_FORMATS = ['jsonl', 'pam', 'markdown'] as const;

const CHUNK_CHARS = 65_536;
const PAGE_RUNS = 200;
const MAX_RECALLS = 400;
const FILES = {
  jsonl: ['application/x-ndjson', 'helmdeck-export.jsonl'],
  pam: ['application/json', 'helmdeck-export.pam.json'],
  markdown: ['text/markdown; charset=utf-8', 'helmdeck-export.md'],
  all: ['application/x-ndjson', 'helmdeck-everything.jsonl'],
} as const;

/** Answers with an export, however long, as it is read. */
export function streamExport(call: Call, memory: Memory, format: keyof typeof FILES): Response {
  const text = textOf(call, memory, format);
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async pull(controller) {
      // Many lines per chunk: a chunk costs far more than a line.
      let lines = '';
      while (lines.length < CHUNK_CHARS) {
        const { value, done } = await text.next();
        if (done) break;
        lines += value;
      }
      if (lines === '') controller.close();
      else controller.enqueue(encoder.encode(lines));
    },
    cancel: async () => void (await text.return(undefined)),
  });
  const [type, name] = FILES[format];
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` };
  return new Response(body, { headers: { ...call.headers, ...headers } });
}

function textOf(call: Call, memory: Memory, format: keyof typeof FILES): AsyncGenerator<string> {
  const nowIso = isoMs(memory.now());
  switch (format) {
    case 'jsonl':
      return jsonLines(exportFacts(memory));
    case 'pam':
      return exportPam(exportFacts(memory), callerName(memory.caller), nowIso);
    case 'markdown':
      return exportMarkdown(exportFacts(memory), nowIso);
    case 'all': {
      const { recallLog } = call.services.memory();
      return jsonLines(
        exportAll(memory, {
          runs: everyRun(memory),
          recalls: () => recallLog.list(memory, { limit: MAX_RECALLS }),
          // What waits in the inbox is for those who may decide on it.
          withProposals: hasScope(call.identity.scopes, 'memory:review') && maySeeProposals(memory),
        }),
      );
    }
  }
}

/** Those of a space are for its writers. */
const maySeeProposals = ({ seat }: Memory) => !seat || includesRole(seat.role, 'writer');

async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

async function* everyRun(memory: Memory): AsyncGenerator<object> {
  let beforeSeq: number | undefined;
  do {
    const { runs, lastSeq } = await listRuns(memory, {}, { limit: PAGE_RUNS, beforeSeq });
    yield* runs;
    beforeSeq = lastSeq;
  } while (beforeSeq !== undefined);
}
