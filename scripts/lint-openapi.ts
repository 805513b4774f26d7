import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../packages/helmdeck/src/surfaces/rest/openapi/document.ts';
import { ROUTES } from '../packages/helmdeck/src/surfaces/rest/routes.ts';

// Lints the OpenAPI document with the strict rules of Redocly; a part of `npm run check`. Needs no network.

/** What the rules object to and the wire contract asks for, as rule and place. */
const ACCEPTED = [
  // `{pipeline}` has a pattern that excludes `runs`; the rule does not look at patterns.
  'no-ambiguous-paths #/paths/~1api~1v1~1pipelines~1runs~1{run}',
  // These take no input, so no request to them can be wrong.
  'operation-4xx-response #/paths/~1healthz/get/responses',
  'operation-4xx-response #/paths/~1readyz/get/responses',
];

interface Problem {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

function lint(): Problem[] {
  const folder = mkdtempSync(join(tmpdir(), 'helmdeck-openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(openApiDocument(ROUTES, '0.0.0')));
    const program = join(import.meta.dirname, '../node_modules/@redocly/cli/bin/cli.js');
    const args = [program, 'lint', file, '--extends=recommended-strict', '--format=json'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    if (!stdout.startsWith('{')) throw new Error(`The linter did not run:\n${stderr}`);
    return (JSON.parse(stdout) as { problems: Problem[] }).problems;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const problems = lint().map((problem) => ({
  ...problem,
  name: `${problem.ruleId} ${problem.location[0]?.pointer}`,
}));
const found = problems.filter(({ name }) => !ACCEPTED.includes(name));
const gone = ACCEPTED.filter((name) => !problems.some((problem) => problem.name === name));
for (const { name, message } of found) console.error(`${name}\n  ${message}`);
for (const name of gone) console.error(`${name}\n  does not occur any more: remove it from ACCEPTED`);
if (found.length + gone.length > 0) process.exitCode = 1;
