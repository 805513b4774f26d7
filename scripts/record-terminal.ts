import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { BIN, createSandbox } from '../test/e2e/helmdeck-process.ts';

// Runs the command against a new server and draws what it printed as an animated picture: `npm run site:recording`.
// The picture plays once. It is still where motion is unwanted, and at `#end`.

const TARGET = resolve(import.meta.dirname, '../docs/recording.svg');
const COLUMNS = 88;
const [LINE_PX, LEFT_PX, TOP_PX, CHARACTER_PX, FONT_PX] = [21, 24, 66, 8.7, 14.5];

interface Line {
  text: string;
  kind: 'comment' | 'command' | 'output';
  /** Seconds after the beginning. */
  at: number;
  /** How long typing it takes. */
  typedFor?: number;
}

/** Each comment is followed by commands as they are typed: `helmdeck` is the built program. */
const SCENES: readonly { comment: string; commands: string[] }[] = [
  {
    comment: 'Store what should be remembered.',
    commands: [
      'helmdeck remember deploy/releases "Releases go out through Jenkins, never by hand"',
      'helmdeck remember db/primary "Postgres 16 in eu-west-1, replica in eu-central-1"',
    ],
  },
  {
    comment: 'Ask for it in other words, misspelt.',
    commands: ['helmdeck recall how do we deploy with jenkns'],
  },
  {
    comment: 'Credentials are refused.',
    commands: ['helmdeck remember staging/login "the staging password is blue-Falcon-42"'],
  },
  { comment: 'How many files on the disk contain the text?', commands: ['grep -rl Jenkins data | wc -l'] },
];

const sandbox = createSandbox();
const lines: Line[] = [];
try {
  const server = await sandbox.serve('--init');
  let seconds = 0.4;
  for (const { comment, commands } of SCENES) {
    lines.push({ text: `# ${comment}`, kind: 'comment', at: seconds });
    seconds += 0.5;
    for (const command of commands) {
      const text = `$ ${command}`;
      const typedFor = text.length * 0.02;
      lines.push({ text, kind: 'command', at: seconds, typedFor });
      seconds += typedFor + 0.25;
      for (const line of outputOf(command)) {
        for (const part of wrapped(line)) lines.push({ text: part, kind: 'output', at: seconds });
      }
      seconds += 0.5;
    }
  }
  await server.stop();
} finally {
  await sandbox.remove();
}
writeFileSync(TARGET, picture(lines));
console.log(`${basename(TARGET)}: ${lines.length} lines, ${lines.at(-1)!.at.toFixed(1)} seconds`);

/** Runs the line in a shell, in the folder of the server. */
function outputOf(command: string): string[] {
  const helmdeck = `helmdeck() { "${process.execPath}" "${BIN}" "$@"; }`;
  const done = spawnSync('sh', ['-c', `${helmdeck}\n${command} 2>&1`], {
    cwd: sandbox.dir,
    env: sandbox.env,
    encoding: 'utf8',
  });
  return done.stdout.trim().split('\n');
}

function wrapped(line: string): string[] {
  const parts: string[] = [];
  let rest = line.trimEnd();
  while (rest.length > COLUMNS) {
    const space = rest.lastIndexOf(' ', COLUMNS);
    const end = space > 0 ? space : COLUMNS;
    parts.push(rest.slice(0, end));
    rest = `  ${rest.slice(end).trimStart()}`;
  }
  return [...parts, rest];
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * The lines appear with CSS animations, which browsers also play where the picture is an `<img>`. Without motion, and
 * as `recording.svg#end`, all of it is there at once.
 */
function picture(all: readonly Line[]): string {
  const width = 2 * LEFT_PX + COLUMNS * CHARACTER_PX;
  const height = TOP_PX + all.length * LINE_PX;
  const rows = all.map(({ text, kind, at, typedFor }, index) => {
    const typing = typedFor ? `--typed:${typedFor.toFixed(2)}s;--steps:${text.length};` : '';
    const lengthPx = (text.length * CHARACTER_PX).toFixed(1);
    return `<text class="${kind}" style="--at:${at.toFixed(2)}s;${typing}" x="${LEFT_PX}" y="${TOP_PX + index * LINE_PX}" textLength="${lengthPx}" xml:space="preserve">${escapeXml(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" id="end" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title transcript">
<title id="title">A terminal: facts are stored, found again and not readable on the disk</title>
<desc id="transcript">${escapeXml(all.map(({ text }) => text).join('\n'))}</desc>
<style>
text{font:${FONT_PX}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#c3cdd8}
.comment{fill:#9aa7b5}
.command{fill:#f1f4f5}
text[style]{animation:show 1ms linear var(--at) both}
.command[style]{animation:show 1ms linear var(--at) both,type var(--typed) steps(var(--steps)) var(--at) both}
svg:target text[style]{animation:none}
@keyframes show{from{opacity:0}to{opacity:1}}
@keyframes type{from{clip-path:inset(-4px 100% -4px 0)}to{clip-path:inset(-4px 0 -4px 0)}}
@media (prefers-reduced-motion:reduce){text[style]{animation:none!important}}
</style>
<rect x="1" y="1" width="${width - 2}" height="${height - 2}" rx="12" fill="#11161b" stroke="#47535f" stroke-width="1.5"/>
<circle cx="24" cy="21" r="6" fill="#5b6675"/><circle cx="44" cy="21" r="6" fill="#5b6675"/><circle cx="64" cy="21" r="6" fill="#5b6675"/>
${rows.join('\n')}
</svg>
`;
}
