import { readdirSync, readFileSync } from 'node:fs';

// Sets of questions whose answers are known, to measure how good a ranking is.

export interface StoredFact {
  id: string;
  key: string;
  value: string;
  tags: string[];
}

export interface AskedQuestion {
  q: string;
  cat: string;
  /** The ids of the facts that answer it. */
  relevant: string[];
}

/** One caller's facts, and what is asked of them. */
export interface AskedMemory {
  id: string;
  facts: StoredFact[];
  queries: AskedQuestion[];
}

export interface RecallSet {
  name: string;
  namespaces: AskedMemory[];
}

const OWN_SETS = new URL('./recall-sets/', import.meta.url);
const LANGUAGES = new URL('../test/languages/', import.meta.url);
const OTHER_FORMS = new URL('./other-forms/', LANGUAGES);

const read = (file: string | URL) => readFileSync(file, 'utf8');
const linesOf = (file: URL) => read(file).trim().split('\n');

/** The sets of this repository. Those in `recall-sets/` were written before the weights that they judge, and decide none. */
export function ownSets(): RecallSet[] {
  const conversations = ['conversation-friends', 'conversation-assistant'];
  return [
    { name: 'household, practice, lab', namespaces: [factsWithQuestions('household-practice-lab.txt')] },
    { name: 'dialogue', namespaces: conversations.map((name) => conversation(name)) },
    { name: 'languages', namespaces: [languages(LANGUAGES)] },
    { name: 'languages, other forms', namespaces: [otherForms()] },
  ];
}

/** A set in JSON: a name and `namespaces`, each with facts and queries as above. */
export const readSet = (file: string): RecallSet => JSON.parse(read(file)) as RecallSet;

/** A line: key, value, questions. */
function fromLines(lines: readonly string[], catOf: (key: string) => string): Omit<AskedMemory, 'id'> {
  const facts: StoredFact[] = [];
  const queries: AskedQuestion[] = [];
  for (const line of lines) {
    const [key, value, ...questions] = line.split(' | ') as [string, string, ...string[]];
    facts.push({ id: key, key, value, tags: [] });
    for (const q of questions) queries.push({ q, cat: catOf(key), relevant: [key] });
  }
  return { facts, queries };
}

const factsWithQuestions = (file: string): AskedMemory => ({
  id: file,
  ...fromLines(linesOf(new URL(file, OWN_SETS)), (key) => key.split('/')[0]!),
});

/** All languages of a folder in one memory. */
function languages(folder: URL): AskedMemory {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  const lines = files.flatMap((file) =>
    linesOf(new URL(file, folder)).map((line) => `${file.replace('.txt', '')}/${line}`),
  );
  return { id: 'languages', ...fromLines(lines, (key) => key.split('/')[0]!) };
}

/** Questions in other forms of the words of a fact, derived ones as well; the facts of `test/languages` are beside theirs. */
function otherForms(): AskedMemory {
  const { facts, queries } = languages(OTHER_FORMS);
  return { id: 'other forms', facts: [...facts, ...languages(LANGUAGES).facts], queries };
}

/** A line: key and value, or after a question mark a question and the numbers at the end of the keys that answer it. */
function conversation(name: string): AskedMemory {
  const lines = linesOf(new URL(`${name}.txt`, OWN_SETS));
  const facts = lines
    .filter((line) => !line.startsWith('? '))
    .map((line) => {
      const [key, value] = line.split(' | ') as [string, string];
      return { id: key.slice(key.lastIndexOf('/') + 1), key, value, tags: [] };
    });
  const queries = lines
    .filter((line) => line.startsWith('? '))
    .map((line) => {
      const [q, relevant] = line.slice(2).split(' => ') as [string, string];
      return { q, cat: name, relevant: relevant.split(',') };
    });
  return { id: name, facts, queries };
}
