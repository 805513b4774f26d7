import { proseLines, QUESTION_WORD, SENTENCE_END } from '../text/prose.ts';

// Picks out of a prompt what may be asked of the memory: short texts without code, logs and small talk. The ranker
// normalises by all words of a query, so a whole prompt would drown the one sentence that matters.

/**
 * What a part of a prompt is about, by its words alone. `own`: the person's own things ("my", "our", "what was", "that
 * … thing"). `world`: a question that could be asked of anybody. `general`: knowledge or work ("explain", "how does … work").
 * `definition`: "what is a …".
 */
export type Subject = 'own' | 'unknown' | 'world' | 'general' | 'definition';

/**
 * Whether the answer to a question differs from one team or household to the next: what is done, allowed or called there.
 * Then a fact near in meaning is likely to be meant, in whatever words it is written.
 */
export type Locality = 'local' | 'unclear' | 'universal';

/** A part of a prompt to search with. */
export interface PromptQuestion {
  text: string;
  subject: Subject;
  isQuestion: boolean;
  locality: Locality;
}

const MAX_QUESTIONS = 12;
const MAX_QUESTION_CHARS = 300;
/** From this many words on, the clauses of a sentence are searched, too. */
const MIN_SPLIT_WORDS = 4;

const CLAUSE_END = /[,;:()]\s+|\s[–—-]+\s|—/u;

/** One expression of several, matched in any letter case. */
const anyOf = (...patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'), 'i');

const OWN = anyOf(
  /\b(?:my|mine|our|ours|we|us|i|remind|remember|recall|again|told you)\b/,
  /\b(?:what|who|when|where) was\b/,
  /\bthat (?:\S+ ){0,3}thing\b/,
  /\bthe \S+(?: \S+)? (?:thing|rule|stuff)\b/,
);
/** "How do I …" is asked of anybody. */
const HOW_TO = /^how (?:do|can|could|would|should) (?:i|you|one)\b/i;
const DEFINITION = /^(?:what|who|how) (?:is|are|do|does) an?\b|^what(?:'s|s) an?\b/i;
const GENERAL = anyOf(
  /^(?:please |can you |could you |now |so |and |also )*(?:explain|define|describe|translate|write|rewrite|draft|compose|draw|generate|implement|invent|imagine|suggest|summari[sz]e|proofread|compare|compute|calculate|solve|prove|convert|factor|simplify|tell me a|give me|show me|play|act as|sort|list|count|fill in|turn|make)\b/,
  // What something is in general; "what is the …" may well be one's own.
  /^what(?:'s| is| are) (?!my\b|our\b|the\b|this\b|that\b)/,
  /^(?:what|how) do(?:es)? .*\b(?:mean|work|differ|compare|show|print|return|stand for)\b/,
  /^how (?:do|can|would|should) (?:i|you|we|one) (?:write|say|spell|pronounce|compute|calculate)\b/,
  /\bdifference between\b/,
);

const RULE = anyOf(
  /\b(?:who|what|which|how|when|where)\b.*\b(?:should|must|may)\b.*\b(?:be|have|go|approve)/,
  /\b(?:who|which) (?:approves?|owns?|maintains?|manages?|signs?)\b/,
  /\bmay you\b/,
  /\b(?:with|for|to) me\b/,
);
const CUSTOM = anyOf(
  /\b(?:should|must|may|allowed|supposed|need|(?:can|do) (?:i|we))\b/,
  /\b(?:our|ours|we|us)\b/,
  /\b(?:called|named|(?:is|are) used)\b/,
  /^(?:whom?|which (?:team|person)) .*\b(?:do|does|can|approves?|owns?|maintains?|manages?|signs?|is responsible)\b/,
);
/** "A cactus" is any, and so is what is known by a name: "should I learn React first". */
const ANY_THING = /\ban?\b/i;
const PROPER_NAME = /(?<=[a-z,] )(?!I\b)[A-Z][\w.+-]*/;
/** "How do bees find their way", but not "how do I" or "why does the". */
const OF_ALL_OF_A_KIND = /^(?:how|why) (?:do|does|are|is) (?!i\b|we\b|my\b|our\b|the\b|you\b)/i;

function subjectOf(text: string): Subject {
  if (DEFINITION.test(text)) return 'definition';
  if (GENERAL.test(text)) return 'general';
  if (OWN.test(text.replace(HOW_TO, ''))) return 'own';
  return QUESTION_WORD.test(text) ? 'world' : 'unknown';
}

function localityOf(text: string, subject: Subject, isQuestion: boolean): Locality {
  if ((subject === 'world' || subject === 'unknown') && RULE.test(text)) return 'local';
  if (!isQuestion || subject === 'general' || subject === 'definition') return 'universal';
  if (ANY_THING.test(text) || PROPER_NAME.test(text)) return 'universal';
  if (subject === 'own' || CUSTOM.test(text)) return 'local';
  return OF_ALL_OF_A_KIND.test(text) ? 'universal' : 'unclear';
}

const SMALL_TALK = new Set(
  `hi hey hello yo thanks thank thx ty please ok okay k yes yep yeah no nope sure fine good great nice perfect cool
  awesome lgtm go ahead continue proceed next more again stop wait done right correct exactly agreed understood morning
  evening afternoon night bye see you tomorrow later a lot so much very that's it sounds do for the do it this that
  one and now then first second try retry undo never mind sorry haha lol nevermind`.split(/\s+/),
);
const MAX_SMALL_TALK_WORDS = 6;
/** A command of the program itself. */
const SLASH_COMMAND = /^\/[\w:-]+$/;

/** Whether a prompt only keeps the conversation going. */
function isSmallTalk(prompt: string): boolean {
  if (prompt.length > 100) return false;
  if (SLASH_COMMAND.test(prompt.trim())) return true;
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.length <= MAX_SMALL_TALK_WORDS && words.every((word) => SMALL_TALK.has(word));
}

/** The questions of a prompt, in their order; none for a prompt that says nothing. */
export function questionsOf(prompt: string): PromptQuestion[] {
  if (isSmallTalk(prompt)) return [];
  const found = new Map<string, PromptQuestion>();
  for (const line of proseLines(prompt)) {
    for (const part of line.split(SENTENCE_END)) {
      const sentence = part?.trim();
      if (!sentence) continue;
      add(found, sentence);
      if (sentence.split(/\s+/).length < MIN_SPLIT_WORDS) continue;
      const clauses = sentence.split(CLAUSE_END).filter((clause) => clause?.trim());
      if (clauses.length > 1) for (const clause of clauses) add(found, clause.trim(), sentence);
    }
  }
  const all = [...found.values()];
  if (all.length <= MAX_QUESTIONS) return all;
  // Of a long prompt the questions, then what speaks of the person, then what is at its ends.
  const weight = (each: PromptQuestion, at: number) =>
    (each.isQuestion ? 2 : 0) +
    (each.subject === 'own' ? 1 : 0) -
    Math.min(at, all.length - 1 - at) / all.length;
  const best = all
    .map((each, at) => ({ each, weight: weight(each, at) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_QUESTIONS)
    .map(({ each }) => each);
  return all.filter((each) => best.includes(each));
}

function add(found: Map<string, PromptQuestion>, text: string, sentence = text): void {
  const short = text.slice(0, MAX_QUESTION_CHARS);
  if (!/[\p{L}\p{N}]{2}/u.test(short) || found.has(short)) return;
  const ofSentence = subjectOf(sentence);
  const isKnowledge = ofSentence === 'definition' || ofSentence === 'general';
  const subject = isKnowledge ? ofSentence : subjectOf(short);
  const isQuestion = QUESTION_WORD.test(short) || (sentence.endsWith('?') && sentence.endsWith(text));
  found.set(short, { text: short, subject, isQuestion, locality: localityOf(short, subject, isQuestion) });
}
