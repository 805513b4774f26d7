// Tells what a person wrote in sentences from what they pasted: code, logs, stack traces, paths.

/** Only the beginning and the end of a longer text are read: instructions are there, and what is between was pasted. */
const MAX_READ_CHARS = 6_000;
const MAX_LINE_CHARS = 2_000;

const FENCE = /^ {0,3}(```|~~~)/;
const LOG_LINE = new RegExp(
  [
    /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // 2026-11-02T10:14:03Z …
    /^\s*[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d /, // Jul 03 04:05:06 …
    /^\s*\[?\d\d:\d\d:\d\d/,
    /^\s*\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\]:]?\s/,
    /^\s*(?:npm|yarn|pnpm) (?:ERR|WARN|error)/i,
    /^\s*at \S.*(?:\(|:\d+)/, // frames of JavaScript and Java
    /^\s*File ".*", line \d+/,
    /^\s*-->? \S+:\d+/,
    /^\s*(?:Traceback|goroutine \d|panic:|thread '|Caused by:|Segmentation fault|error\[)/,
    /^\s*(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Warning)\b.*:/,
    /^\s*[$#>%] \S/, // a shell
    /^\s*(?:\/|\.{1,2}\/|[\w.-]+\/)[\w./@+-]+(?::\d+)*\s*$/, // a path alone
    /^\s*[a-z_-]+:\s*[[{]?$/, // a line of YAML that opens a block
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
);
/** Ends or begins as prose never does. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:[})\]]|[-+]{1,3}\s{2,}|@@ |<\/?[a-z!][^>]*>|import .* from |#include|def \w+\(|const |let |var |return\b.*[;(]|\w+\(.*\)\s*;?$)|=>|[!=]==?=|&&|\|\||::\w/;

/** Where one sentence ends and the next begins. */
export const SENTENCE_END = /(?<=[.!?…])["')\]]*\s+(?=\S)|[。！？\n]+/u;
const BULLET = /^\s*(?:[-*•>]+|\d{1,2}[.)]|[a-z]\))\s+/;
export const QUESTION_WORD =
  /^(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|should|shall|may|must|will|would|have|has)\b/i;

/** The lines that a person wrote as sentences: without code, logs, stack traces and paths. */
export function proseLines(written: string): string[] {
  const text =
    written.length <= MAX_READ_CHARS
      ? written
      : `${written.slice(0, MAX_READ_CHARS / 2)}\n${written.slice(-MAX_READ_CHARS / 2)}`;
  const lines: string[] = [];
  const pasted: string[] = [];
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const plain = line.slice(-MAX_LINE_CHARS).replace(BULLET, '');
    if (plain.trim() === '') continue;
    if (LOG_LINE.test(plain) || CODE_LINE.test(plain)) pasted.push(plain);
    else lines.push(plain);
  }
  // One line that looks like a path or a call is all that was asked.
  return lines.length === 0 && pasted.length === 1 && fence === undefined ? pasted : lines;
}
