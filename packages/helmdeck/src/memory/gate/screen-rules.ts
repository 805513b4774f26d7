/**
 * What the screen looks for in a text before it becomes a fact. A pattern is matched against one form of the text:
 * `flat` is lower case without accents, emphasis and line breaks, `lines` keeps line breaks and punctuation, `raw` is
 * the text as it was sent.
 */
export interface ScreenRule {
  /** Sent to clients as `screen:<name>`. */
  name: string;
  /** One sentence for the person who decides about the text. */
  reason: string;
  flat?: readonly RegExp[];
  lines?: readonly RegExp[];
  raw?: readonly RegExp[];
  /** A match is passed over if this matches its sentence (up to 120 characters before and 80 after it). */
  unless?: RegExp;
}

/** Words that many patterns share; `{name}` in a pattern stands for one of them. */
const WORDS: Record<string, string> = {
  not: "(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|shall not|will not|won't|can not|cannot|can't|may not|avoid|refrain from|no need to)",
  user: '(?:the |this |your |my |any |a )?(?:end )?(?:user|human|person|owner|operator|account holder)s?',
  before:
    '(?:previous|prior|preceding|above|earlier|foregoing|existing|original|initial|former|past|other|conflicting|contrary|system|developer|safety|built in|your|you were given|given to you)',
  orders:
    '(?:instruction|direction|directive|guideline|guidance|guardrail|prompt|rule|command|order|constraint|restriction|policy|policies|programming|training|safeguard)s?',
};

/** Compiles patterns: `{word}` is one of the words above, `…` up to 80 characters of the same sentence. */
function phrases(...sources: string[]): RegExp[] {
  return sources.map(
    (source) =>
      new RegExp(
        source
          .replace(/\{([a-z]+)\}/g, (_, word: string) => WORDS[word]!)
          .replaceAll('…', '(?:(?![.!?] )[^]){0,80}?'),
        'g',
      ),
  );
}

export const SCREEN_RULES: readonly ScreenRule[] = [
  {
    name: 'hidden-characters',
    reason: 'It contains characters that a model reads and a person does not see.',
    raw: [
      /[\u202d\u202e]/g,
      /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\u200b-\u200d\u2060-\u2064\ufeff]+(?=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])/gu,
    ],
  },
  {
    name: 'override-instructions',
    reason: 'It tells a model to set aside the instructions that it works under.',
    flat: phrases(
      '\\b(?:ignore|disregard|forget|overrule|override|bypass|discard|stop following|{not} follow)(?: all| any| every| of| the| these| those| my| your| its){0,4}(?: {before}){1,3}(?: and| or| {before}){0,2} {orders}\\b',
    ),
  },
  {
    name: 'conceal-from-user',
    reason: 'It asks a model to keep something from its user.',
    flat: phrases(
      '\\b{not} (?:tell|inform|alert|notify|warn) {user}\\b',
      '\\bwithout (?:telling|informing|alerting|notifying|asking) {user}\\b',
    ),
  },
  {
    name: 'imitated-role',
    reason: 'It imitates a system message or another turn of a conversation.',
    lines: [/<\|[a-z_]{2,30}\|>/g, /\[\/?inst\]/g, /<<\/?sys>>/g, /<\/?(?:system|assistant|user|human)>/g],
  },
  {
    name: 'self-reinforcement',
    reason: 'It asks to be stored, kept or put above other memories.',
    flat: phrases(
      '\\b(?:store|save|write|commit|add) (?:this|that|it|the following) (?:in|to|into) (?:your |the )?(?:long term |persistent |permanent )?memory\\b',
    ),
  },
];
