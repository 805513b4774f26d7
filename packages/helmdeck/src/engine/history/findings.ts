import { detectCredential } from '../../memory/credential-detector/credential-detector.ts';
import type { Finding } from './run-history.ts';

const MAX_FINDINGS = 50;
const MAX_CODE_CHARS = 100;
const MAX_FILE_CHARS = 200;
const REPORTS = ['lint', 'inspect', 'validate'];
const LISTS = ['findings', 'issues', 'errors', 'warnings'];

/** The findings in a pack's output: `{findings:[…]}`, or the lists of a `lint`, `inspect` or `validate` report. */
export function findingsIn(output: unknown): Finding[] | undefined {
  try {
    return isObject(output) ? readFindings(output) : undefined;
  } catch {
    return undefined; // an odd output must not prevent the run record
  }
}

function readFindings(output: Record<string, unknown>): Finding[] | undefined {
  const lists = [output.findings];
  for (const name of REPORTS) {
    const report = output[name];
    if (isObject(report)) for (const list of LISTS) lists.push(report[list]);
  }
  const found: Finding[] = [];
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      if (found.length === MAX_FINDINGS) break;
      const finding = asFinding(item);
      if (finding) found.push(finding);
    }
  }
  return found.length === 0 || detectCredential(JSON.stringify(found)) ? undefined : found;
}

function asFinding(item: unknown): Finding | undefined {
  if (!isObject(item) || typeof item.code !== 'string' || item.code === '') return undefined;
  const severity = item.severity ?? item.level;
  return {
    code: item.code.slice(0, MAX_CODE_CHARS).toWellFormed(),
    ...(typeof severity === 'string' ? { severity: severity.slice(0, 32).toWellFormed() } : {}),
    ...(typeof item.file === 'string' ? { file: item.file.slice(0, MAX_FILE_CHARS).toWellFormed() } : {}),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
