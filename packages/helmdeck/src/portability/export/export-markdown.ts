import type { ExportLine } from '../../memory/import-export.ts';

// One page to read and to edit. What Markdown has no place for is in a comment above each value, and import reads it.

export const FACT_BEGINS = '<!-- helmdeck:fact ';
export const FACT_ENDS = '<!-- helmdeck:end';

export async function* exportMarkdown(
  facts: AsyncIterable<ExportLine>,
  nowIso: string,
): AsyncGenerator<string> {
  yield `# Memory\n\nExported by Helmdeck on ${nowIso.slice(0, 10)}.\n`;
  for await (const { key, value, ...rest } of facts) {
    // A value that has the mark itself gets another one.
    let mark = '';
    while (value.includes(`${FACT_ENDS}${mark} -->`)) mark += '-x';
    const about = JSON.stringify({ key, ...rest, ...(mark === '' ? {} : { mark }) }).replaceAll(
      '>',
      '\\u003e',
    );
    yield `\n## ${key}\n\n${FACT_BEGINS}${about} -->\n${value}\n${FACT_ENDS}${mark} -->\n`;
  }
}
