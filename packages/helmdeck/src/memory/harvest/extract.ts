import { ENGLISH_RULES } from './rules/english.ts';
import { EXCLUSIONS } from './rules/exclusions.ts';
import { OTHER_LANGUAGE_RULES } from './rules/other-languages.ts';
import type { HarvestCategory, HarvestRule } from './rules/rule.ts';
import { readableSentence, sentencesOf, statementOf } from './sentences.ts';
import { keyFor } from './statement-key.ts';

/** One turn of a conversation. */
export interface Turn {
  role: string;
  text: string;
  /** When it was said. */
  atMs?: number;
}

/** A statement that was found in a conversation. */
export interface Statement {
  key: string;
  value: string;
  category: HarvestCategory;
  /** The sentence as it was said. */
  quote: string;
  /** The name of the rule that found it. */
  rule: string;
  confidence: number;
  atMs?: number;
}

/** Reads a conversation turn by turn. */
export interface Extractor {
  read(turn: Turn): void;
  statements(): Statement[];
  /** The turns that were read: those of the person and of the model, not those of tools. */
  seen(): number;
}

const MAX_SENTENCES_PER_TURN = 200;
/** Sentences of an answer that a correction may refer to. */
const MAX_ANSWER_SENTENCES = 40;
const MIN_CONFIDENCE = 0.5;
const RULES = [...ENGLISH_RULES, ...OTHER_LANGUAGE_RULES];
const PERSON_ROLES = ['user', 'human', 'person', 'you'];
const MODEL_ROLES = ['assistant', 'ai', 'model', 'agent', 'gemini', 'bot'];

/**
 * Finds decisions, preferences, corrections, facts and commitments in what a person said. Deterministic, and linear in the
 * length of the talk. Answers of a model count only where the person agrees to what they propose; tools are never read.
 */
export function createExtractor(project?: string): Extractor {
  const found: Statement[] = [];
  let answer: string[] = [];
  let seen = 0;
  return {
    read({ role: name, text, atMs }) {
      const role = name.toLowerCase();
      if (!PERSON_ROLES.includes(role) && !MODEL_ROLES.includes(role)) return;
      seen++;
      if (MODEL_ROLES.includes(role)) {
        answer = sentencesOf(text, MAX_ANSWER_SENTENCES);
        return;
      }
      for (const sentence of sentencesOf(text, MAX_SENTENCES_PER_TURN)) {
        const statement = readSentence(sentence, answer, project) ?? agreement(sentence, answer, project);
        if (statement) found.push({ ...statement, ...(atMs === undefined ? {} : { atMs }) });
      }
      answer = [];
    },
    statements: () => withoutRepeats(found),
    seen: () => seen,
  };
}

function readSentence(
  quote: string,
  answer: readonly string[],
  project: string | undefined,
): Statement | undefined {
  const text = readableSentence(quote);
  const rule = matchingRule(text, quote);
  if (!rule) return undefined;
  const words = text.split(/\s+/).length;
  // Few words leave out what the statement is about.
  const confidence = Math.round(rule.confidence * (words < 4 ? 0.8 : 1) * 100) / 100;
  if (confidence < MIN_CONFIDENCE) return undefined;
  const corrected = rule.category === 'corrections' ? correctedSentence(text, answer) : undefined;
  const value =
    corrected === undefined ? statementOf(quote) : `${statementOf(quote)} (said of: ${corrected})`;
  return {
    key: keyFor({ text, context: corrected, rule, project }),
    value,
    category: rule.category,
    quote,
    rule: rule.name,
    confidence,
  };
}

/** The first rule that a sentence matches, unless the sentence only looks like a statement. */
function matchingRule(text: string, quote: string): HarvestRule | undefined {
  const isExcluded = EXCLUSIONS.some(
    ({ patterns, unless }) =>
      patterns.some((pattern) => pattern.test(text)) && !unless?.some((pattern) => pattern.test(text)),
  );
  if (isExcluded) return undefined;
  return RULES.find(
    ({ patterns, needsDetail }) =>
      patterns.some((pattern) => pattern.test(text)) && (!needsDetail || namesSomething(quote)),
  );
}

/** A number, a path, a time, or a name: a word with a capital letter that does not begin the sentence. */
function namesSomething(quote: string): boolean {
  return (
    /\d/.test(quote) ||
    /`[^`]+`|\S[/_@]\S|\w\.\w/.test(quote) ||
    /[\p{L},;:)] ["'(]?\p{Lu}/u.test(quote.replace(/\bI(?:'\w+)?\b/g, 'i')) ||
    /^\p{Lu}\p{Ll}+ (?:and \p{Lu}\p{Ll}+ )?(?:owns|will|'ll|leads|handles|is|has|covers|manages)\b/u.test(
      quote,
    ) ||
    /\p{Lu}{2,}/u.test(quote) ||
    DETAIL_WORDS.test(quote)
  );
}

const DETAIL_WORDS =
  /\b(?:called|named|by hand|chaque|tous|toutes|uniquement|avant|lundi|mardi|mercredi|jeudi|vendredi|cada|todos|lunes|martes|jueves|viernes|tage?n?|wochen?|monaten?|stunden?|jours?|semaines?|mois|heures?|d[ií]as?|semanas?|meses|horas?|first|last|each|month|months|week|weeks|year|years|quarter|half|hundred|thousand|dozen|january|february|march|april|june|july|august|september|october|november|december|hourly|nightly|via|successor|one|two|three|four|five|six|seven|eight|nine|ten|twelve|monday|tuesday|wednesday|thursday|friday|saturday|sunday|daily|weekly|monthly|yearly|noon|midnight|morning|only|every|mostly|always|never|vpn|written in|by hand|manually|automatically|needs?|requires?|must|responsible|because|otherwise)\b/i;

/** The sentence of the answer that a correction is about: the one that has what is now said not to hold. */
function correctedSentence(text: string, answer: readonly string[]): string | undefined {
  if (answer.length === 0) return undefined;
  const denied =
    /(?:, not|, nicht|, pas|, no|instead of|rather than) (?:at |in |on |the |a |to |à |en |al )?([\p{L}\p{N}./_-]+)/u.exec(
      text,
    )?.[1];
  const named =
    denied && answer.find((sentence) => sentence.toLowerCase().includes(denied.replace(/\.$/, '')));
  if (named) return named;
  // "It's at 4": only the answer says what "it" is.
  return /^(?:(?:no|wrong|actually|sorry|nein|non)[^\p{L}]+)?(?:it|it's|that|that's|this|they|es|c'est)\b/u.test(
    text,
  )
    ? answer.at(-1)
    : undefined;
}

const AGREES =
  /^(?:yes|yep|yeah|agreed|ok(?:ay)?|sounds good|perfect|go for it|do it|let's do (?:that|it|this)|exactly|sure|absolutely|ja|genau|einverstanden|machen wir|oui|d'accord|parfait|sí|de acuerdo|perfecto)\b.{0,40}$/i;
const PROPOSES =
  /\b(?:(?:should|shall) (?:we|i) (?:use|go with|switch to|adopt|standardi[sz]e on|drop|stick with|move to)|(?:i|i'd) (?:suggest|recommend|propose) (?:we |that we |using |to use |going with |switching to )|(?:sollen wir|on part sur|usamos))\s?.{3,}/i;

/** A person's yes to a choice that the model proposed; the proposal is then what was decided. */
function agreement(
  sentence: string,
  answer: readonly string[],
  project: string | undefined,
): Statement | undefined {
  const proposal = answer.at(-1);
  if (proposal === undefined || !AGREES.test(sentence.trim()) || !PROPOSES.test(proposal)) return undefined;
  if (/\b(?:now|here|again|this (?:file|test|function))\b/i.test(proposal)) return undefined;
  const rule = AGREEMENT;
  return {
    key: keyFor({ text: readableSentence(proposal), rule, project }),
    value: `Agreed to: ${proposal}`,
    category: rule.category,
    quote: proposal,
    rule: rule.name,
    confidence: rule.confidence,
  };
}

const AGREEMENT: HarvestRule = {
  name: 'agreement',
  category: 'decisions',
  confidence: 0.6,
  reason: 'The person agreed to a choice that was proposed to them.',
  patterns: [],
};

/** The last of statements with the same words, and a key of its own for each of the others. */
function withoutRepeats(statements: readonly Statement[]): Statement[] {
  const byValue = new Map(statements.map((statement) => [statement.value.toLowerCase(), statement]));
  const taken = new Set<string>();
  return [...byValue.values()].map((statement) => {
    let { key } = statement;
    for (let number = 2; taken.has(key); number++) key = `${statement.key}-${number}`;
    taken.add(key);
    return { ...statement, key };
  });
}
