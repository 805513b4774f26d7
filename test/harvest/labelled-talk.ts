import { readFileSync } from 'node:fs';
import { createExtractor, type Statement } from '../../packages/helmdeck/src/memory/harvest/extract.ts';

interface Expected {
  category: string;
  words: string;
}

export interface Conversation {
  title: string;
  turns: { role: string; text: string; expected: Expected[] }[];
}

export function labelledTalk(
  name: 'development' | 'held-back' | 'other-languages' | 'several-trades',
): Conversation[] {
  const conversations: Conversation[] = [];
  for (const line of readFileSync(new URL(`${name}.txt`, import.meta.url), 'utf8').split('\n')) {
    const title = /^== (.*)/.exec(line)?.[1];
    if (title) conversations.push({ title, turns: [] });
    const turn = /^(user|assistant|tool): (.*)/.exec(line);
    if (turn)
      conversations
        .at(-1)!
        .turns.push({ role: turn[1]!, text: turn[2]!.replaceAll('\\n', '\n'), expected: [] });
    const label = /^\+ (\w+): (.*)/.exec(line);
    if (label) conversations.at(-1)!.turns.at(-1)!.expected.push({ category: label[1]!, words: label[2]! });
  }
  return conversations;
}

export interface Quality {
  turns: number;
  expected: number;
  proposed: number;
  /** Of what should be proposed, the share that is. */
  coverage: number;
  /** Of what is proposed, the share that should be. */
  precision: number;
  /** Of what is rightly proposed, the share under the right category. */
  categories: number;
  missed: string[];
  wrong: string[];
}

/** Compares what is extracted with the labels. A statement counts if its quote has the words of a label of its conversation. */
export function measure(conversations: readonly Conversation[]): Quality {
  const missed: string[] = [];
  const wrong: string[] = [];
  let [turns, expected, found, proposed, right, rightCategory] = [0, 0, 0, 0, 0, 0];
  for (const conversation of conversations) {
    const extractor = createExtractor();
    conversation.turns.forEach(extractor.read);
    const statements = extractor.statements();
    const labels = conversation.turns.flatMap((turn) => turn.expected);
    turns += conversation.turns.length;
    expected += labels.length;
    proposed += statements.length;
    const matches = ({ quote }: Statement, label: Expected) => quote.includes(label.words);
    for (const label of labels) {
      const match = statements.find((statement) => matches(statement, label));
      if (!match) missed.push(`${label.category}: ${label.words}`);
      else found++;
      if (match?.category.startsWith(label.category)) rightCategory++;
    }
    for (const statement of statements) {
      if (labels.some((label) => matches(statement, label))) right++;
      else wrong.push(`${statement.rule}: ${statement.quote}`);
    }
  }
  return {
    turns,
    expected,
    proposed,
    coverage: found / expected,
    precision: right / proposed,
    categories: rightCategory / found,
    missed,
    wrong,
  };
}
