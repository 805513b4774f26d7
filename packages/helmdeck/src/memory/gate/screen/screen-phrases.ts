// The notation in which the patterns of the screen are written: regular expressions with shared words, one a line.

/**
 * What the screen looks for. A pattern is matched against one form of the text: `flat` is one line in lower case
 * without accents, quotation marks and emphasis, with a space for every `_` and `-`; `lines` is lower case with line
 * breaks and punctuation; `raw` is the text as it was sent.
 */
export interface ScreenRule {
  /** Sent to clients as `screen:<name>`. */
  name: string;
  /** One sentence for the person who decides about the text. */
  reason: string;
  flat?: readonly Phrase[];
  lines?: readonly RegExp[];
  raw?: readonly RegExp[];
  /** A match is passed over if this matches its sentence, from at most 120 characters before it to 80 after it. */
  unless?: RegExp;
}

/** What many patterns share: `{name}` in a pattern stands for it. */
const WORDS: Record<string, string> = {
  not: "(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|shall not|will not|won't|can not|cannot|can't|may not|avoid|refrain from|no need to|under no circumstances)(?: ever)?",
  user: '(?:the |this |your |my |any |our )?(?:end ?)?(?:user|human|person|owner|operator|account holder)',
  model:
    '(?:you|ai|llms?|language models?|(?:the |this |an? |any |every |all |your )?(?:ai |large |language )*(?:assistant|agent|model|chatbot|bot|copilot)s?)',
  before:
    '(?:previous|prior|preceding|above|earlier|foregoing|existing|original|initial|former|past|other|conflicting|contrary|current|system|developer|safety|security|ethical|content|built in|your)',
  orders:
    '(?:instruction|direction|directive|guideline|guidance|guardrail|prompt|rule|command|order|constraint|restriction|polic(?:y|ie)|programming|training|safeguard|protocol)s?',
  this: '(?:this|these|it|that|the)(?: (?:rule|memory|memories|instruction|note|entry|entries|policy|preference|directive|message|prompt|change|behaviou?r|step|action|fact|fact that|existence|reason|real reason)s?)?',
  note: '(?:memory|memories|memory entry|note|entry|rule|instruction|directive|preference|message)',
  when: String.raw`\b(?:when(?:ever)?|if|once|each time|every time|any ?time|next time|the moment|as soon as|upon|after)(?: ever)? (?:the |a |any |this |your )?(?:user|human|person|someone|somebody|anyone|anybody|people|they|visitor|reader)s?(?: is| are| ever| next| again| then| also| explicitly){0,3} (?:ask|mention|request|sa(?:y|id)|type|write|inquire|enquire|want|need|talk|discuss|bring|quer|look|search|repl|respond|answer|send|open|enter|start|thank|compare|confirm|agree|speak|express|consider|submit|use)[a-z]*\b`,
  every: String.raw`\b(?:in|at|to|into|with|on|of|for)(?: the)?(?: end of| beginning of| start of| bottom of| top of)? (?:every|each|all|any)(?: single| future| subsequent| later| new| of| one of| your| my| the){0,4} (?:response|repl(?:y|ie)|answer|message|conversation|output|session|chat|interaction)s?\b`,
  // A hyphen of an address is a space in the flat form.
  email: String.raw`(?:\w{1,30} ){0,2}[\w.+]{1,60}@\w[\w.]{0,60}(?: \w{1,30}){0,3}\.[a-z]{2,}`,
  place: String.raw`(?:https?:\/\/|www\.|{email}|\b(?:\w{1,30} ){0,3}\w{2,40}\.(?:com|net|org|io|example|xyz|ru|cn|top|app|dev|site|online|info|co|tk|me)\b)`,
  wallet: String.raw`(?:\b0x[0-9a-f]{20,64}\b|\bbc1[a-z0-9]{20,60}\b)`,
  agreed:
    '(?:agreed|confirmed|promised|approved|accepted|allowed|granted|noted|said|mentioned|determined|concluded|decided|verified|established|stated|acknowledged|directed|told|were (?:told|instructed|asked|directed))',
  data: String.raw`(?:conversations?|chat (?:history|logs?|transcripts?)|chats?|transcripts?|(?:the )?(?:user's|users'|their|his|her) (?:[a-z]+ )?(?:messages?|data|contacts?|mails?|emails?|inbox|files?|passwords?|credentials?|questions?|inputs?|prompts?|keys?|location|documents?|quer(?:y|ies)|details)|user (?:data|inputs?|messages?|prompts?)|(?:last |each |every )?messages? of the user|system prompt|memor(?:y|ies)|credentials?|passwords?|(?:api|access|private|ssh|secret) keys?|secrets|access tokens?|session tokens?|session cookies?|id rsa|\.env\b|environment variables|env vars|personal (?:data|information)|seed phrase|knowledge base)`,
};

/** A pattern, and what a text must contain for it to match: one of the words of every set. */
export interface Phrase {
  pattern: RegExp;
  /** The rarest first: one or more words, with a space behind them if the last one is whole. */
  needs: readonly (readonly string[])[];
  asciiOnly: boolean;
}

/** Compiles one pattern a line. `{name}` is one of the words above, `…` stands for up to 80 characters of a sentence. */
export function phrases(source: string): Phrase[] {
  const lines = source.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).flatMap(alternativesOf);
}

/** Compiles the alternatives of a line one by one: each needs other words. */
function alternativesOf(line: string): Phrase[] {
  return splitAt('|', expand(line)).map((source) => ({
    pattern: new RegExp(source, 'g'),
    needs: neededWordsOf(source),
    asciiOnly: /^[\x20-\x7e]*$/.test(source),
  }));
}

function expand(source: string): string {
  const expanded = source
    .replace(/\{([a-z]+)\}/g, (_, name: string) => WORDS[name]!)
    .replaceAll('…', '(?:(?![.!?] )[^]){0,80}?');
  return expanded === source ? source : expand(expanded);
}

/** Words that many harmless texts contain, too. */
const COMMON_WORDS =
  'a|all|always|an|and|any|are|as|at|be|by|do|each|every|for|from|if|in|is|it|message|messages|must|never|no|not|of|on|only|or|should|the|this|to|use|user|users|when|with|you|your'.split(
    '|',
  );

/** How often texts contain one of these, roughly. */
function frequencyOf(literals: readonly string[]): number {
  const frequency = (word: string) => (COMMON_WORDS.includes(word) ? 0.5 : 8 ** -word.length);
  const product = (literal: string) =>
    literal
      .trimEnd()
      .split(' ')
      .reduce((all, word) => all * frequency(word), 1);
  return literals.reduce((sum, literal) => sum + product(literal), 0);
}

/** Sets of words, the rarest first; every match of the pattern contains one of each set. */
function neededWordsOf(source: string): string[][] {
  return wordStartsOf(source)
    .map((at) => openersOf(source.slice(at)))
    .filter((words) => !words.includes(''))
    .sort((a, b) => frequencyOf(a) - frequencyOf(b));
}

/** Where words begin that no quantifier makes optional: at the start, and after a space or `\b` outside of groups. */
function wordStartsOf(source: string): number[] {
  const starts = source.startsWith('\\b') ? [] : [0];
  let depth = 0;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    const next = index + token.length;
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth === 0 && (token === ' ' || token === '\\b') && !/[?*{+]/.test(source[next] ?? ''))
      starts.push(next);
  }
  return starts;
}

/**
 * The literal texts that a pattern can begin with, a space behind those whose last word is known to end; '' stands for
 * anything. `rest` is what follows the pattern.
 */
function openersOf(source: string, rest = ''): string[] {
  const alternatives = splitAt('|', source);
  if (alternatives.length > 1) return alternatives.flatMap((alternative) => openersOf(alternative, rest));
  const anchored = source.replace(/^(?:\(\?<![^)]*\)|\\b)+/, '');
  // `e ?mail` begins with "email" or with "e mail", not with every word in e.
  const optional = /^([a-z]*?)([a-z ])\?(?=[a-z(])/.exec(anchored);
  if (optional) {
    const [whole, before, letter] = optional as unknown as [string, string, string];
    const after = anchored.slice(whole.length);
    return [before + after, before + letter + after].flatMap((form) => openersOf(form, rest));
  }
  if (!anchored.startsWith('(?:')) {
    // A character before a quantifier may be missing.
    const literal = /^[a-z](?:[a-z ](?![?*{]))*(?![?*{])/.exec(anchored + rest)?.[0] ?? '';
    const isWhole = (anchored + rest).startsWith('\\b', literal.length);
    return [literal !== '' && isWhole ? `${literal.trimEnd()} ` : literal];
  }
  const [group, after] = splitAt(')', anchored.slice('(?:'.length)) as [string, string];
  const quantifier = /^(?:\?|\*|\{0,\d+\}\??)/.exec(after)?.[0];
  if (quantifier === undefined) return openersOf(group, after + rest);
  const openers = openersOf(after.slice(quantifier.length), rest);
  // What follows the group begins a word, whether the group is there or not.
  if (splitAt('|', group).every((alternative) => alternative.endsWith(' '))) return openers;
  return [...openersOf(group), ...openers];
}

/** Escapes, character classes and single characters. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|./gs;

/** Splits at a character that stands outside of groups, character classes and escapes. */
export function splitAt(separator: string, source: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of source.matchAll(TOKENS)) {
    if (token === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
    if (token === '(') depth++;
    if (token === ')' && depth > 0) depth--;
  }
  return parts;
}
