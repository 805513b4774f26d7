import type { Advice } from '../../../memory/facts/remember.ts';
import type { Screen } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';

/** Says beside a stored fact what the server noticed about it. It is advice: the fact is stored. */
export function noteAdvice(screen: Screen, key: string, { similar, conflicts, echo }: Advice): void {
  const lines: string[] = [];
  for (const { key: other, theirs, mine } of conflicts ?? []) {
    lines.push(
      other === key ? `it said before: ${theirs}` : `${other} says otherwise: ${theirs} (this one: ${mine})`,
    );
  }
  const contradicted = new Set(conflicts?.map((conflict) => conflict.key));
  for (const { key: other } of similar ?? []) {
    if (!contradicted.has(other)) lines.push(`${other} says nearly the same`);
  }
  if (echo) lines.push('this text was recalled or forgotten a moment ago');
  for (const line of lines) screen.note(screen.paintNote('dim', `  ${oneLine(line)}`));
}

const oneLine = (text: string) => printable(text).replaceAll(/\s+/g, ' ');
