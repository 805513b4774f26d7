import type { Advice } from '../../../memory/facts/store-answer.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** Prints the server's advice about a fact that was stored: conflicts, similar facts, echoes. */
export function printAdvice(screen: Screen, { similar, conflicts, echo }: Advice): void {
  const lines: string[] = [];
  for (const { key, theirs, mine } of conflicts ?? [])
    lines.push(`conflicts with ${key}: ${theirs} (this one: ${mine})`);
  const contradicted = new Set(conflicts?.map((conflict) => conflict.key));
  for (const { key } of similar ?? []) if (!contradicted.has(key)) lines.push(`similar to ${key}`);
  if (echo) lines.push('this text was recalled or forgotten a moment ago');
  for (const line of lines) screen.note(screen.paintNote('dim', `  ${oneLine(line)}`));
}

const oneLine = (text: string) => printable(text).replaceAll(/\s+/g, ' ');
