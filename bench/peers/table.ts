import type { Plaintext, Recall, SearchTimes, Writes } from './measure.ts';

export interface PeerFigures {
  name: string;
  version: string;
  install: { packages: number; megabytes: number; seconds: number };
  tools?: { tools: number; bytes: number };
  plaintext?: Plaintext;
  writes?: Writes;
  recall?: Recall;
  recallByMeaning?: Recall;
  search: SearchTimes[];
  /** The machine's load average when the measurement of this peer began. */
  load?: number;
}

const count = (number: number) => Math.round(number).toLocaleString('en');
const milliseconds = (ms: number) => (ms < 10 ? ms.toFixed(1) : count(ms));

/** `brief` rows are in README.md as well. */
const ROWS: readonly { what: string; brief?: boolean; cell(figures: PeerFigures): string }[] = [
  {
    what: 'writes kept, of those confirmed, when 8 programs write 200 at once',
    brief: true,
    cell: ({ writes }) => {
      if (!writes) return 'failed';
      const refused = writes.sent - writes.confirmed;
      return `**${writes.kept}** of ${writes.confirmed}${refused > 0 ? `; ${refused} failed` : ''}`;
    },
  },
  {
    what: 'files that contain the text of a fact',
    brief: true,
    cell: ({ plaintext }) => (plaintext ? filesOf(plaintext.stored) : 'failed'),
  },
  {
    what: 'files that contain it after the fact was deleted',
    brief: true,
    cell: ({ plaintext }) => (plaintext ? filesOf(plaintext.deleted) : 'failed'),
  },
  {
    what: 'right fact among the first ten hits, 180 questions',
    brief: true,
    cell: ({ recall, recallByMeaning }) =>
      [
        recall ? percent(recall.whole) : 'not measured',
        ...(recall?.byWord === undefined ? [] : [`${percent(recall.byWord)} with a call per word`]),
        ...(recallByMeaning ? [`${percent(recallByMeaning.whole)} with its model`] : []),
      ].join('; '),
  },
  ...[0, 1, 2].map((index) => ({
    what: `search at ${['1,000', '10,000', '50,000'][index]} facts, p50 / p95 ms`,
    brief: index === 1,
    cell: ({ search }: PeerFigures) => (search.length === 0 ? 'failed' : searchCell(search[index])),
  })),
  {
    what: 'tools as a model sees them, bytes',
    brief: true,
    cell: ({ tools }) => (tools ? `${count(tools.bytes)} (${tools.tools} tools)` : 'a library'),
  },
  {
    what: 'installed: packages, MB',
    brief: true,
    cell: ({ install }) => `${install.packages}, ${count(install.megabytes)}`,
  },
  { what: 'installing, seconds', cell: ({ install }) => count(install.seconds) },
  { what: 'load average of the machine at the start', cell: ({ load }) => (load ?? 0).toFixed(0) },
];

const percent = (share: number) => `${share.toFixed(0)} %`;
const filesOf = (paths: string[]) => (paths.length === 0 ? 'none' : paths.map(fileOf).join(', '));
/** Names that are made of a key, in hexadecimal, say nothing. */
const fileOf = (path: string) =>
  `\`${path
    .split('/')
    .at(-1)!
    .replace(/^[0-9a-f]{16,}\./, '*.')}\``;

function searchCell(times: SearchTimes | undefined): string {
  if (!times) return 'not reached';
  if (times.p50Ms === undefined || times.p95Ms === undefined)
    return `not reached: ${times.failure ?? 'failed'}`;
  return `${milliseconds(times.p50Ms)} / ${milliseconds(times.p95Ms)}`;
}

const bare = (name: string) => name.replace(/^@modelcontextprotocol\//, '').replace(/^@tobilu\//, '');

/** A table with a column per peer; the brief one has only what a person who compares looks for first. */
export function peerTable(figures: readonly PeerFigures[], isBrief: boolean): string {
  const cells = (what: string, values: string[]) => `| ${[what, ...values].join(' | ')} |`;
  const rows = ROWS.filter(({ brief }) => brief || !isBrief);
  return [
    cells(
      '',
      figures.map(({ name, version }) => (isBrief ? bare(name) : `${name} ${version}`)),
    ),
    cells(
      '---',
      figures.map(() => '---'),
    ),
    ...rows.map(({ what, cell }) => cells(what, figures.map(cell))),
  ].join('\n');
}
