import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `npm run bench` runs core, gate, engine, MCP, prompt notes and harvest; `npm run bench -- engine --rounds 3` runs one part with its
// options.

const PARTS = [
  'core',
  'gate',
  'engine',
  'recall',
  'mcp',
  'mcp-tokens',
  'oauth',
  'prompt-notes',
  'long-facts',
  'harvest',
  'spaces',
];
const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const named = firstOption === -1 ? args : args.slice(0, firstOption);
const options = args.slice(named.length);
const unknown = named.find((part) => !PARTS.includes(part));
if (unknown !== undefined || (options.length > 0 && named.length !== 1)) {
  console.error(`usage: npm run bench -- [${PARTS.join(' | ')}] [options of that part]`);
  process.exit(2);
}
for (const part of named.length > 0 ? named : ['core', 'gate', 'engine', 'mcp', 'prompt-notes', 'harvest']) {
  console.log(`\n=== ${part} ===`);
  const file = fileURLToPath(new URL(`./${part}.ts`, import.meta.url));
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', file, ...options],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exitCode = 1;
}
