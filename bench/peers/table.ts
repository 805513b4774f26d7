import type { Plaintext, Recall, SearchTimes, Writes } from './measure.ts';

export interface PeerFigures {
  name: string;
  version: string;
  install: { packages: number; megabytes: number; seconds: number; compileSeconds: number };
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

const ROWS: readonly { what: string; cell(figures: PeerFigures): string }[] = [
  {
    what: 'writes by 8 programs at once: confirmed and kept, of those sent',
    cell: ({ writes }) =>
      writes ? `${writes.confirmed} and **${writes.kept}** of ${writes.sent}` : 'failed',
  },
  {
    what: 'files with the text of a fact, in plain',
    cell: ({ plaintext }) => (plaintext ? filesOf(plaintext.stored) : 'failed'),
  },
  {
    what: '– after it was deleted',
    cell: ({ plaintext }) => (plaintext ? filesOf(plaintext.deleted) : 'failed'),
  },
  ...[0, 1, 2].map((index) => ({
    what: ['search p95 at 1,000 facts, ms', '– at 10,000', '– at 50,000'][index]!,
    cell: ({ search }: PeerFigures) => searchCell(search[index]),
  })),
  {
    what: 'right fact among the first ten, of 180 questions',
    cell: ({ recall, recallByMeaning }) =>
      [
        recall ? percent(recall.whole) : 'not measured',
        ...(recall?.byWord === undefined ? [] : [`${percent(recall.byWord)} with a call per word`]),
        ...(recallByMeaning ? [`${percent(recallByMeaning.whole)} with the model`] : []),
      ].join('; '),
  },
  {
    what: 'tools as a model sees them, bytes',
    cell: ({ tools }) => (tools ? `${count(tools.bytes)} (${tools.tools} tools)` : 'a library'),
  },
  {
    what: 'installed: packages, MB, seconds',
    cell: ({ install }) => {
      const compiled = install.compileSeconds > 0 ? ` and ${count(install.compileSeconds)} to compile` : '';
      return `${install.packages}, ${count(install.megabytes)}, ${count(install.seconds)}${compiled}`;
    },
  },
  { what: 'load of the machine at the start', cell: ({ load }) => (load ?? 0).toFixed(0) },
];

const percent = (share: number) => `${share.toFixed(0)} %`;
const filesOf = (paths: string[]) =>
  paths.length === 0 ? 'none' : paths.map((path) => `\`${path.split('/').at(-1)}\``).join(', ');

function searchCell(times: SearchTimes | undefined): string {
  if (!times) return 'not reached';
  if (times.p95Ms === undefined) return times.failure ?? 'failed';
  return milliseconds(times.p95Ms);
}

/** The table of docs/benchmarks.md: a column per peer. */
export function peerTable(figures: readonly PeerFigures[], machine: string): string {
  const cells = (what: string, values: string[]) => `| ${[what, ...values].join(' | ')} |`;
  return [
    `${machine}.`,
    '',
    cells(
      '',
      figures.map(({ name, version }) => `${name} ${version}`),
    ),
    cells(
      '---',
      figures.map(() => '---'),
    ),
    ...ROWS.map(({ what, cell }) => cells(what, figures.map(cell))),
  ].join('\n');
}
