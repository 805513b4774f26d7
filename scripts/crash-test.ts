import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crashRounds } from '../test/faults/crash-rounds.ts';

// `npm run crash-test -- [rounds]`: kills the server with SIGKILL during writes and checks every acknowledged write.
const rounds = Number(process.argv[2] ?? 200);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('usage: npm run crash-test -- [rounds]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'helmdeck-crash-'));
const result = await crashRounds(join(folder, 'crash.db'), rounds, (round) => {
  if (round % 50 === 0) console.log(`${round} of ${rounds}`);
});
for (const problem of result.problems) console.error(problem);
console.log(
  `${result.rounds} kills, ${result.acknowledged} acknowledged writes, ${result.problems.length} lost or wrong`,
);
rmSync(folder, { recursive: true });
process.exitCode = result.problems.length === 0 ? 0 : 1;
