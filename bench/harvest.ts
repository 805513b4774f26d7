import { readFileSync } from 'node:fs';
import { createExtractor } from '../packages/helmdeck/src/memory/harvest/extract.ts';

// Time to find statements in 1,000 turns: the labelled talk of the tests over and over, and turns with long pastes.

const ROUNDS = 15;
const TURNS = 1_000;
const talk = ['development', 'held-back'].flatMap((name) =>
  readFileSync(new URL(`../test/harvest/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, role, text] = /^(user|assistant|tool): (.*)/.exec(line) ?? [];
      return role && text ? [{ role, text: text.replaceAll('\\n', '\n') }] : [];
    }),
);
const log = '2026-11-02T10:00:00Z INFO request served by node 4 in 12 ms\n'.repeat(100);
const plain = Array.from({ length: TURNS }, (_, index) => talk[index % talk.length]!);
const pasted = plain.map((turn, index) =>
  index % 4 === 0 ? { ...turn, text: `${turn.text}\n\n${log}` } : turn,
);

function measure(turns: typeof plain): { ms: number; statements: number } {
  const times: number[] = [];
  let statements = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const extractor = createExtractor('bench');
    turns.forEach(extractor.read);
    statements = extractor.statements().length;
    times.push(performance.now() - startMs);
  }
  return { ms: times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!, statements };
}

for (const [name, turns] of Object.entries({
  'ordinary talk': plain,
  'every fourth turn with 6 kB of log': pasted,
})) {
  const { ms, statements } = measure(turns);
  const chars = turns.reduce((sum, { text }) => sum + text.length, 0);
  console.log(
    `harvest of 1,000 turns, ${name} (${Math.round(chars / 1024)} kB, ${statements} statements): ${ms.toFixed(1)} ms`,
  );
}
