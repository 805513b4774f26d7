import { readFileSync } from 'node:fs';

// Pairs of facts with a label, to measure advice on: hand-written ones from the text files, and generated ones.

export interface LabelledFact {
  key: string;
  value: string;
}
export interface LabelledPair {
  label: string;
  half: 'development' | 'held out';
  known: LabelledFact;
  incoming: LabelledFact;
}

type Unsplit = Omit<LabelledPair, 'half'>;

const CONFLICTS = new Set(['number', 'date', 'polarity', 'choice']);
export const isConflict = ({ label }: { label: string }) => CONFLICTS.has(label);
export const isDuplicate = ({ label }: { label: string }) => label === 'same';

export const conflictPairs = (): LabelledPair[] =>
  split([...read('conflicts.txt'), ...generateConflictPairs(createRandom(19))]);
export const duplicatePairs = (): LabelledPair[] =>
  split([...read('duplicates.txt'), ...generateDuplicatePairs(createRandom(7))]);

function read(name: string): Unsplit[] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [label, ...fields] = line.split(' | ') as [string, string, string, string, string];
      const [knownKey, known, incomingKey, incoming] = fields;
      return {
        label,
        known: { key: knownKey, value: known },
        incoming: { key: incomingKey, value: incoming },
      };
    });
}

/** Every other pair of a label is held out. */
function split(pairs: readonly Unsplit[]): LabelledPair[] {
  const counts = new Map<string, number>();
  return pairs.map((pair) => {
    const count = counts.get(pair.label) ?? 0;
    counts.set(pair.label, count + 1);
    return { ...pair, half: count % 2 === 0 ? 'development' : 'held out' };
  });
}

/** Numbers from 0 to 1, the same on every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const words = (text: string) => text.split('|').map((word) => word.trim());
const SUBJECTS = words(
  'ledger-service|the invoice worker|the mobile app|the Oslo warehouse|the tax importer|mailer|the loyalty portal|the claims API|the print server|geo-index|the partner gateway|the media encoder',
);
const FOLDERS = words('memory|facts|about|general|infos');
const PEOPLE = words('Farida|Mateo|Ingrid|Kwame|Soraya|Lukas|Noemi|Dmitri|Aiko|Beatriz|Hendrik|Zuzana');

interface Template {
  label: string;
  who: readonly string[];
  /** Ways to say that the subject S has the value V. */
  says: readonly string[];
  options: readonly string[];
}
const TEMPLATES: readonly Template[] = [
  {
    label: 'number',
    who: SUBJECTS,
    says: ['S runs with V worker threads', 'S has V worker threads', 'there are V worker threads for S'],
    options: words('4|6|12|16|24'),
  },
  {
    label: 'number',
    who: SUBJECTS,
    says: ['S has a memory limit of V', 'the memory limit of S is V', 'memory limit for S: V'],
    options: words('512 MB|2 GB|4 GB|8 GB'),
  },
  {
    label: 'number',
    who: PEOPLE,
    says: ['S is V years old', "S's age is V"],
    options: words('31|38|44|52|67'),
  },
  {
    label: 'date',
    who: SUBJECTS,
    says: ['S is released on V', 'release day of S is V'],
    options: words('Monday|Tuesday|Wednesday|Thursday'),
  },
  {
    label: 'date',
    who: PEOPLE,
    says: ["S's birthday is V", 'S has birthday on V'],
    options: words('2 February|14 June|30 August|11 November'),
  },
  {
    label: 'choice',
    who: SUBJECTS,
    says: ['S is owned by V', 'V owns S', 'the owner of S is V'],
    options: words('Gregor|Yasmin|Pavel|Oona'),
  },
  {
    label: 'choice',
    who: SUBJECTS,
    says: ['S is written in V', 'V is the language of S'],
    options: words('Rust|Kotlin|Elixir|Scala'),
  },
  {
    label: 'choice',
    who: PEOPLE,
    says: ['S lives in V', "S's home is in V"],
    options: words('Ghent|Tallinn|Seville|Turin'),
  },
  {
    label: 'choice',
    who: PEOPLE,
    says: ["S's favorite sport is V", "V is S's favourite sport"],
    options: words('climbing|rowing|tennis|judo'),
  },
  {
    label: 'choice',
    who: PEOPLE,
    says: ['S wohnt in V', 'S wohnt jetzt in V'],
    options: words('Kassel|Erfurt|Mainz|Jena'),
  },
  {
    label: 'number',
    who: PEOPLE,
    says: ['S ist V Jahre alt', 'S ist jetzt V Jahre alt'],
    options: words('29|36|48|61'),
  },
  {
    label: 'polarity',
    who: SUBJECTS,
    says: ['caching V for S', 'for S caching V'],
    options: words('is enabled|is disabled'),
  },
  {
    label: 'polarity',
    who: PEOPLE,
    says: ['S V meat'],
    options: words('eats|does not eat'),
  },
];

const COUNT_PER_TEMPLATE = 6;

/** For each template as many pairs with another value as pairs with another subject or the same value said differently. */
function generateConflictPairs(random: () => number): Unsplit[] {
  const pairs: Unsplit[] = [];
  let serial = 1000;
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!;
  const pickOther = <T>(items: readonly T[], not: T) => pick(items.filter((item) => item !== not));
  const fact = (says: string, who: string, value: string): LabelledFact => ({
    key: `${pick(FOLDERS)}/${serial++}`,
    value: says.replace('S', () => who).replace('V', () => value),
  });
  for (const { label, who, says, options } of TEMPLATES) {
    for (let count = 0; count < COUNT_PER_TEMPLATE; count++) {
      const [subject, second] = [who[2 * count]!, who[2 * count + 1]!];
      const value = pick(options);
      const changed = pickOther(options, value);
      pairs.push({
        label,
        known: fact(pick(says), subject, value),
        incoming: fact(pick(says), subject, changed),
      });
      const known = fact(says[0]!, second, value);
      pairs.push(
        count % 2 === 0
          ? { label: 'subject', known, incoming: fact(pick(says), pickOther(who, second), changed) }
          : { label: 'rephrasing', known, incoming: fact(pick(says), second, value) },
      );
    }
  }
  return pairs;
}

const FILLERS = words('Please remember: V|V.|FYI, V|Note that V|V (as of today)|Just to be clear, V');
/** Three ways to say the same, and one related statement. */
const PARAPHRASES: readonly (readonly [string, string, string, string])[] = [
  [
    'S sends its alerts to the night shift in Porto',
    'alerts of S go to the Porto night shift',
    'the night shift in Porto gets the alerts of S',
    'S sends its metrics to the data lake in Dublin',
  ],
  [
    'S must be restarted after each configuration change',
    'after every config change S must be restarted',
    'restart S after each change of the configuration',
    'S must be backed up before each upgrade',
  ],
  [
    'S stores its files in an encrypted bucket',
    'the files of S are stored in an encrypted bucket',
    'S keeps its files in an encrypted bucket',
    'S deletes its files after an audit',
  ],
  [
    'requests to S are authenticated with client certificates',
    'S authenticates requests with client certificates',
    'client certificates authenticate the requests to S',
    'requests to S are limited by the load balancer',
  ],
];

function generateDuplicatePairs(random: () => number): Unsplit[] {
  const pairs: Unsplit[] = [];
  let serial = 1000;
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!;
  const fact = (says: string, who: string): LabelledFact => ({
    key: `${pick(FOLDERS)}/${serial++}`,
    value: says.replace('S', () => who),
  });
  for (const [first, second, third, related] of PARAPHRASES) {
    for (const subject of SUBJECTS.slice(0, 6)) {
      const other = pick(SUBJECTS.slice(6));
      const said = fact(pick([second, third]), subject);
      pairs.push({ label: 'same', known: fact(first, subject), incoming: said });
      const filled = pick(FILLERS).replace('V', () => said.value);
      pairs.push({
        label: 'same',
        known: fact(second, other),
        incoming: fact(filled.replace(subject, other), other),
      });
      pairs.push({ label: 'related', known: fact(first, subject), incoming: fact(related, subject) });
      pairs.push({
        label: 'name',
        known: fact(first, subject),
        incoming: fact(pick([first, second]), other),
      });
    }
  }
  return pairs;
}

const THINGS = words(
  'the catalog service|the refund job|the warehouse database|the staging mirror|the onboarding guide|the data platform|the export API|the kiosk app|the analytics cluster|the nightly report',
);
const OTHERS = words('Wanda|Rashid|Petra|Owen|Salma|Timo|Greta B.|Juan|Freya|Anselm');
const THING_FACTS = words(
  'S is deployed from the release branch|S sends its logs to the central index|the dashboard of S is on the wall in the office|S was rewritten last year|tests of S need a database in Docker|S has an owner and a deputy in the team|the timeout of S is checked in production|S caches results in memory|backups of S are encrypted|S uses feature flags for new customers|alerts of S are sent by e-mail|S reads its configuration at start|the documentation of S is in the wiki|S runs in two regions|customers see S only after login',
);
const PERSON_FACTS = words(
  'S likes to cook for friends at the weekend|S has a brother in Canada|S works on the mobile client|S prefers meetings in the morning|S goes to the gym after work|S plays in the company football team|S bought a house with a garden|S lives close to the office|S takes the train to work|S is learning Spanish for a trip to Chile|S drinks tea without sugar|S has a birthday in spring|S speaks at conferences|S reads a book each month|S adopted a cat from a shelter',
);

/** 300 facts that share many words with the pairs. */
export const backgroundFacts = (): LabelledFact[] =>
  [
    ...THINGS.flatMap((thing) => THING_FACTS.map((says) => says.replace('S', () => thing))),
    ...OTHERS.flatMap((person) => PERSON_FACTS.map((says) => says.replace('S', () => person))),
  ].map((value, at) => ({ key: `known/${at}`, value }));
