import { describe, expect, it } from 'vitest';
import {
  markupPatternsOf,
  mayMatch,
} from '../../packages/helmdeck/src/memory/gate/screen/needed-literals.ts';
import {
  phrasesWorthTrying,
  possibleWeightOfPhrases,
} from '../../packages/helmdeck/src/memory/gate/screen/phrase-index.ts';
import { screenText } from '../../packages/helmdeck/src/memory/gate/screen/screen.ts';
import { SPEECH_ACTS } from '../../packages/helmdeck/src/memory/gate/screen/screen-acts.ts';
import { SCREEN_RULES } from '../../packages/helmdeck/src/memory/gate/screen/screen-rules.ts';
import { WEAK_SIGNS } from '../../packages/helmdeck/src/memory/gate/screen/screen-signs.ts';
import { traitsOf } from '../../packages/helmdeck/src/memory/gate/screen/text-traits.ts';
import { sampleOf } from '../support/regex-sample.ts';
import { documentationParagraphs, recallFacts, screenCorpus } from '../support/screen-corpus.ts';

// The rules were developed on the first half of the corpora. The second was first run when both aims held on the first.
const HALVES = ['development', 'held-back'];
const LEAST_FOUND = 0.9;
const MOST_QUARANTINED = 0.02;

describe('the screen on labelled texts', () => {
  it.each(HALVES)('at least nine tenths of the payloads of the %s half are found', (half) => {
    const payloads = screenCorpus(`payloads-${half}`);
    const missed = payloads.filter(({ text }) => !screenText(text));
    expect(payloads.length).toBeGreaterThanOrEqual(75);
    expect(1 - missed.length / payloads.length, texts(missed)).toBeGreaterThanOrEqual(LEAST_FOUND);
  });

  it.each(HALVES)('at most a fiftieth of the harmless facts of the %s half are quarantined', (half) => {
    const facts = screenCorpus(`harmless-${half}`);
    const quarantined = facts.filter(({ text }) => screenText(text));
    expect(facts.length).toBeGreaterThanOrEqual(150);
    expect(facts.filter(({ family }) => family === 'near misses').length).toBeGreaterThanOrEqual(60);
    expect(quarantined.length / facts.length, texts(quarantined)).toBeLessThanOrEqual(MOST_QUARANTINED);
  });

  it.skipIf(recallFacts().length === 0)('no fact of the recall data sets is quarantined', () => {
    expect(recallFacts().filter((text) => screenText(text))).toEqual([]);
  });

  it('the documentation is about agents, memory, tokens and users: at most 4 % of its paragraphs are quarantined', () => {
    const paragraphs = documentationParagraphs();
    expect(paragraphs.length).toBeGreaterThan(1_000);
    const quarantined = paragraphs.filter((text) => screenText(text));
    expect(quarantined.length / paragraphs.length, quarantined.join('\n')).toBeLessThanOrEqual(0.04);
  });

  it('every rule is the finding of at least one payload', () => {
    const found = HALVES.flatMap((half) => screenCorpus(`payloads-${half}`)).map(
      ({ text }) => screenText(text)?.rule,
    );
    expect(new Set(found.filter(Boolean))).toEqual(new Set(SCREEN_RULES.map(({ name }) => name)));
  });
});

const PATTERNS = [
  ...SCREEN_RULES.flatMap(({ name, raw = [], lines = [], flat = [] }) =>
    [...raw, ...lines, ...flat.map(({ pattern }) => pattern)].map((pattern) => ({ name, pattern })),
  ),
  ...[...SPEECH_ACTS, ...WEAK_SIGNS].flatMap(({ rule, raw, flat }) =>
    [...raw, ...flat.map(({ pattern }) => pattern)].map((pattern) => ({ name: rule, pattern })),
  ),
];
const SIZES = [1024, 4096, 16_384, 65_536];
/** For four times the text. Quadratic time would be sixteen. */
const MOST_GROWTH = 10;
/** Below this a measurement says nothing. A quadratic pattern takes far longer at 64 kB. */
const CLOCK_NOISE_MS = 10;
const ATTEMPTS = 8;

describe('the index of the screen', () => {
  it('every phrase is tried on the texts that it matches', () => {
    const SAMPLES = 200;
    const pick = picker();
    let matching = 0;
    for (const owner of [...SCREEN_RULES, ...SPEECH_ACTS, ...WEAK_SIGNS]) {
      const weight = 'weight' in owner ? owner.weight : Number.POSITIVE_INFINITY;
      for (const { pattern, asciiOnly } of owner.flat ?? []) {
        const texts = Array.from({ length: SAMPLES }, () => sampleOf(pattern.source, pick));
        for (const text of texts.filter((sample) => sample.search(pattern) >= 0)) {
          matching++;
          const tried = phrasesWorthTrying(text).get(owner) ?? [];
          expect(
            tried.map((phrase) => phrase.pattern.source),
            text,
          ).toContain(pattern.source);
          const unflattened = text.toUpperCase().replaceAll(' ', '_-\n ');
          if (asciiOnly) expect(possibleWeightOfPhrases(unflattened), text).toBeGreaterThanOrEqual(weight);
        }
      }
    }
    expect(matching).toBeGreaterThan(PATTERNS.length);
  });
});

describe('the needed literals of the screen', () => {
  it('every pattern for markup is tried on the texts that it matches', () => {
    const SAMPLES = 200;
    const pick = picker();
    let matching = 0;
    for (const markup of markupPatternsOf([...SCREEN_RULES, ...SPEECH_ACTS, ...WEAK_SIGNS])) {
      const texts = Array.from({ length: SAMPLES }, () => sampleOf(markup.pattern.source, pick));
      for (const raw of texts.filter((sample) => sample.search(markup.pattern) >= 0)) {
        matching++;
        const marked = { raw, lines: raw.toLowerCase(), traits: traitsOf(raw) };
        expect(mayMatch(markup, marked), `${markup.pattern} on ${raw}`).toBe(true);
      }
    }
    expect(matching).toBeGreaterThan(1_000);
  });
});

describe('the time that the screen takes', () => {
  it.each(SCREEN_RULES.map(({ name }) => name))('grows linearly for every pattern of %s', (name) => {
    for (const { pattern } of PATTERNS.filter((other) => other.name === name)) {
      for (const piece of unfinishedMatches(pattern)) {
        expectLinear((text) => countMatches(pattern, text), piece);
      }
    }
  });

  it('grows linearly for the whole screen, on what each of its steps repeats', () => {
    const pieces = [
      '\u200b',
      'ａ',
      'é',
      'а',
      ' ',
      '\n',
      '\t \n',
      '-',
      'a ',
      'a. ',
      '%41',
      '&#65;',
      '\\u0041',
      'QUJD',
      '4142',
      '0o1',
      '. ',
    ]
      .concat([
        'ignore all ',
        'the user ',
        'when the user asks ',
        'send send ',
        'https://a/?',
        '![](',
        '<',
        '[',
        '"role" : ',
        'w',
      ])
      .concat(
        PATTERNS.filter((_, index) => index % 9 === 0).flatMap(({ pattern }) =>
          unfinishedMatches(pattern).slice(0, 1),
        ),
      );
    for (const piece of pieces) expectLinear(screenText, piece);
  });
});

/** Chooses among several possibilities, the same ones in every run. */
function picker(): (count: number) => number {
  let state = 1;
  return (count) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 256) % count;
  };
}

/** The beginnings of texts that the pattern matches. */
function unfinishedMatches(pattern: RegExp): string[] {
  const pick = picker();
  const samples = Array.from({ length: 3 }, () => sampleOf(pattern.source, pick));
  return samples.flatMap((sample) =>
    [0.6, 0.95].map((part) => `${sample.slice(0, Math.ceil(sample.length * part))} `),
  );
}

function countMatches(pattern: RegExp, text: string): number {
  return [...text.matchAll(pattern)].length;
}

/** Compares the shortest times of several attempts: what else the machine does only makes them longer. */
function expectLinear(run: (text: string) => unknown, piece: string): void {
  const inputs = SIZES.map((size) => filled(piece, size));
  let shortest = inputs.map(() => Number.POSITIVE_INFINITY);
  let growth = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    shortest = inputs.map((text, index) => Math.min(shortest[index]!, milliseconds(run, text)));
    const times = shortest.map((time) => Math.max(time, CLOCK_NOISE_MS));
    growth = Math.max(...times.slice(1).map((time, index) => time / times[index]!));
    if (growth <= MOST_GROWTH) return;
  }
  expect(growth, `repeated ${JSON.stringify(piece)}`).toBeLessThanOrEqual(MOST_GROWTH);
}

function filled(piece: string, size: number): string {
  return piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
}

/** CPU time of this thread: on a busy machine most of the elapsed time belongs to other processes. */
function milliseconds(run: (text: string) => unknown, text: string): number {
  const start = process.threadCpuUsage();
  run(text);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

function texts(labelled: { text: string }[]): string {
  return labelled.map(({ text }) => text).join('\n');
}
