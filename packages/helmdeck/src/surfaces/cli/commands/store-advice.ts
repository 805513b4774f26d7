import type { Advice } from '../../../memory/facts/remember.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** Prints the server's advice about a fact that was stored: conflicts, similar facts, echoes. */
export function printAdvice(screen: Screen, key: string, { similar, conflicts, echo }: Advice): void {
  const lines: string[] = [];
  for (const { key: other, theirs, mine } of conflicts ?? []) {
    lines.push(
      other === key ? `previous value: ${theirs}` : `conflicts with ${other}: ${theirs} (this one: ${mine})`,
    );
  }
  const contradicted = new Set(conflicts?.map((conflict) => conflict.key));
  for (const { key: other } of similar ?? []) {
    if (!contradicted.has(other)) lines.push(`similar to ${other}`);
  }
  if (echo) lines.push('this text was recalled or forgotten a moment ago');
  for (const line of lines) screen.note(screen.paintNote('dim', `  ${oneLine(line)}`));
}

const oneLine = (text: string) => printable(text).replaceAll(/\s+/g, ' ');
