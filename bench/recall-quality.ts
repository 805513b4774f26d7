import { createImage, type Image } from '../packages/helmdeck/src/recall/image/image.ts';
import { planQuery, type Query } from '../packages/helmdeck/src/recall/ranking/query.ts';
import { searchImage } from '../packages/helmdeck/src/recall/search.ts';
import { embeddedQuery } from '../packages/helmdeck/src/recall/text/embedded-query.ts';
import { embeddingText } from '../packages/helmdeck/src/recall/text/entry-text.ts';
import { createBuiltinEmbedder } from '../packages/helmdeck/src/recall/vectors/builtin-model/builtin-embedder.ts';
import type { Embedder } from '../packages/helmdeck/src/recall/vectors/embedder.ts';
import { quantise } from '../packages/helmdeck/src/recall/vectors/quantised.ts';
import { meanDirection, textWindows } from '../packages/helmdeck/src/recall/vectors/text-windows.ts';
import { openWordbook, type Wordbook } from '../packages/helmdeck/src/recall/words/wordbook.ts';
import { type AskedMemory, ownSets, type RecallSet, readSet, type StoredFact } from './recall-sets.ts';

// How good the ranking is, in the process: recall at 1, 5 and 10 of each set, with every step and with each one switched
// off in turn. Not switched off: English stems, which are in the format of the index, and time, which the sets do not have.

interface Measured {
  memory: AskedMemory;
  image: Image;
  /** Of the questions, if there is a model. */
  vectors: ReadonlyMap<string, Float32Array>;
}

/** What is left out of a search or of its facts. */
interface Step {
  name: string;
  fact?: (fact: StoredFact) => StoredFact;
  query?: (query: Query, image: Image) => Query;
  question?: (text: string) => string;
  wordbook?: (wordbook: Wordbook) => Wordbook;
}

const without =
  (via: string) =>
  (query: Query): Query => ({
    ...query,
    terms: query.terms.map((term) => ({
      ...term,
      alternatives: term.alternatives.filter((each) => each.via !== via),
    })),
  });
const isOwnStem = (term: number, { index }: Image) => /~.$/.test(index.lexicon.term(term));

const STEPS: readonly Step[] = [
  { name: 'all steps' },
  {
    name: 'background frequencies',
    wordbook: (book) => ({ ...book, words: book.words && { ...book.words, information: () => 1 } }),
  },
  { name: 'word vectors', query: (query) => ({ ...query, subjects: [] }) },
  { name: 'thesaurus', query: without('meaning') },
  { name: 'words joined or apart', query: without('joined') },
  { name: 'prefixes, compounds', query: without('prefix') },
  { name: 'spelling', query: without('spelling') },
  {
    name: 'stems of other languages',
    query: (query, image) => ({
      ...query,
      terms: query.terms.map((term) => ({
        ...term,
        alternatives: term.alternatives.filter((each) => !isOwnStem(each.term, image)),
      })),
    }),
  },
  { name: 'adjacent words', query: (query) => ({ ...query, pairs: [] }) },
  // The key's words count as a tag's: the same weight, without the boost.
  {
    name: 'boost of the key',
    fact: (fact) => ({ ...fact, key: coded(fact.key), tags: [...fact.tags, fact.key] }),
  },
  { name: 'folders', fact: (fact) => ({ ...fact, key: fact.key.replaceAll('/', ' ') }) },
  {
    name: 'neighbours in a folder',
    fact: (fact) => ({ ...fact, key: fact.key.replace(/\d+$/, (number) => `${2 * Number(number)}`) }),
  },
  // One sentence without an end is a query of one sentence.
  { name: 'sentences', question: (text) => text.replaceAll(/[.!?:]+(?=\s)/g, ' ') },
];

/** A key with the same folder and number, but without words. */
function coded(key: string): string {
  const parts = key.split('/');
  const code = (part: string) => (/^\d+$/.test(part) ? part : `x${Buffer.from(part).toString('hex')}`);
  return parts.map(code).join('/').slice(-200);
}

/** The windows of a long fact, as the embed queue cuts them. */
const WINDOW_UNITS = 320;
const MAX_WINDOWS = 8;

async function measured(memory: AskedMemory, step: Step, embedder: Embedder | undefined): Promise<Measured> {
  const image = createImage();
  const times = { createdMs: 1, updatedMs: 1, expiresMs: null };
  const embed = async (texts: string[], purpose: 'query' | 'document') =>
    embedder!.embed(texts, purpose, AbortSignal.timeout(60_000));
  for (const [number, fact] of memory.facts.entries()) {
    const { key, value, tags } = step.fact?.(fact) ?? fact;
    const id = Buffer.from(String(number).padStart(16));
    const content = Buffer.from(JSON.stringify({ key, value, tags, category: 'user_facts' }));
    image.put({ id, kind: 'fact', seq: number + 1, rev: 1, ...times }, content);
    if (!embedder) continue;
    const text = embeddingText({ key, value, tags, category: '' });
    const windows = await embed(textWindows(text, WINDOW_UNITS, MAX_WINDOWS), 'document');
    const parts = windows.length > 1 ? windows.map(quantise) : undefined;
    image.setVector(number, quantise(meanDirection(windows)), parts);
  }
  const vectors = new Map<string, Float32Array>();
  if (embedder)
    for (const { q } of memory.queries) vectors.set(q, meanDirection(await embed(embeddedQuery(q), 'query')));
  return { memory, image, vectors };
}

export interface Recalled {
  questions: number;
  at1: number;
  at5: number;
  at10: number;
}

/** Recall of the questions of a set, by kind; `ALL` leaves out those that have no answer. */
function recallOf(memories: readonly Measured[], step: Step, wordbook: Wordbook): Map<string, Recalled> {
  const sums = new Map<string, Recalled>();
  for (const { memory, image, vectors } of memories) {
    const plan: typeof planQuery = (...asked) => {
      const query = planQuery(...asked);
      return step.query?.(query, image) ?? query;
    };
    const keys = memory.facts.map((fact) => (step.fact?.(fact) ?? fact).key);
    for (const { q, cat, relevant } of memory.queries) {
      const text = step.question?.(q) ?? q;
      const request = { text, limit: 10 };
      const { hits } = searchImage(image, request, wordbook, 10, vectors.get(q), plan);
      const found = hits.map(({ document }) => memory.facts[keys.indexOf(document.key)]!.id);
      const share = (count: number) =>
        found.slice(0, count).filter((id) => relevant.includes(id)).length / new Set(relevant).size;
      for (const name of cat === 'adversarial' ? [cat] : ['ALL', cat]) {
        const sum = sums.get(name) ?? { questions: 0, at1: 0, at5: 0, at10: 0 };
        sum.questions++;
        sum.at1 += share(1);
        sum.at5 += share(5);
        sum.at10 += share(10);
        sums.set(name, sum);
      }
    }
  }
  return sums;
}

const shown = ({ questions, at1, at5, at10 }: Recalled) =>
  [at1, at5, at10].map((sum) => ((100 * sum) / questions).toFixed(1)).join(' / ');

type Table = Record<string, Record<string, string>>;

/** Prints recall at 1, 5 and 10 in per cent of the sets of the repository and of further ones, in JSON. */
export async function printQuality(files: readonly string[]): Promise<void> {
  const sets: RecallSet[] = [...ownSets(), ...files.map(readSet)];
  const wordbook = openWordbook();
  const steps: Table = {};
  const kinds: Table = {};
  for (const set of sets) {
    for (const step of STEPS) {
      const memories = await Promise.all(set.namespaces.map((memory) => measured(memory, step, undefined)));
      const recalled = recallOf(memories, step, step.wordbook?.(wordbook) ?? wordbook);
      const name = step === STEPS[0] ? step.name : `without ${step.name}`;
      steps[name] = { ...steps[name], [set.name]: shown(recalled.get('ALL')!) };
      if (step !== STEPS[0]) continue;
      for (const [kind, sum] of recalled)
        if (kind !== 'ALL')
          kinds[`${set.name}: ${kind}`] = { questions: `${sum.questions}`, words: shown(sum) };
    }
  }
  const embedder = createBuiltinEmbedder();
  for (const set of sets) {
    const memories: Measured[] = [];
    for (const memory of set.namespaces) memories.push(await measured(memory, STEPS[0]!, embedder));
    for (const [kind, sum] of recallOf(memories, STEPS[0]!, wordbook)) {
      if (kind === 'ALL')
        steps['with the built-in model'] = { ...steps['with the built-in model'], [set.name]: shown(sum) };
      else kinds[`${set.name}: ${kind}`]!.model = shown(sum);
    }
  }
  await embedder.close();
  console.log('recall at 1 / 5 / 10 in per cent; by words, but in the last row');
  console.table(steps);
  console.table(kinds);
}
