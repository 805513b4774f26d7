// The sentences that a person wrote in a turn: without code, quotations, logs, shell sessions and text that a program
// wrapped around the prompt. Every step is one pass over the lines, so that a long paste costs no more than its length.

/** A sentence longer than this is a paste or a stream of thought, and no statement to remember. */
const MAX_SENTENCE_CHARS = 400;
const MIN_SENTENCE_CHARS = 6;

const FENCE = /^\s*(?:```|~~~)/;
const QUOTED_LINE = /^\s*>/;
const HEADING = /^#{1,6}\s/;
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(?:\[[ x]\]\s+)?/i;
const SHELL_PROMPT = /^\s*(?:\$|%|❯|>>>|PS [A-Z]:\\|[\w.-]+@[\w.-]+[:~][^\s]*[$#])\s/;
const WRAPPER_OPENS = /^\s*<([a-z][\w-]{0,60})(?:\s[^>]{0,200})?>/i;
const ANNOUNCES_PASTE =
  /\b(?:errors?|output|logs?|trace|stack ?trace|e-?mail|message|says|said|wrote|this|following|response|ausgabe|fehler|sortie|erreur|salida)\s*:\s*$/i;

/** Lines that a program wrote. */
const MACHINE_LINES: readonly RegExp[] = [
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // log lines by date
  /^\s*\[?\d\d:\d\d:\d\d/, // log lines by time
  /^\s*\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PASS|FAIL)\b/,
  /^\s+at \S+/, // stack frames
  /^(?:Traceback|\s*File ".{0,200}", line \d|Caused by:|Exception in)/,
  /^(?:diff --git|index [0-9a-f]{6}|@@ |\+\+\+ |--- |[+][^\s]|-[^\s-])/, // diffs
  /^[0-9a-f]{7,40}\s/, // git log
  /^(?:npm|yarn|pnpm) (?:ERR|WARN|error|warn)/,
  /^\s*[{}[\]()<>;]/,
  /[{};]\s*$/, // code
  /^\s*(?:const|let|var|def|class|import|export|function|return|public|private|protected|async|await|package|func|fn|#include|using)\s+\S+.{0,300}[=({:;]/,
  /^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP)\s.{0,300}\b(?:FROM|INTO|SET|TABLE|VALUES|INDEX|WHERE)\b/,
  /^(?: {4}|\t)\S/, // indented code
  /^\s*\|.{0,500}\|\s*$/, // tables
  /^\s*(?:\/\/|\/\*|\*\/|<!--)/,
];

/** The sentences of a turn in their order, at most `maxSentences`. */
export function sentencesOf(text: string, maxSentences: number): string[] {
  const sentences: string[] = [];
  for (const paragraph of paragraphsOf(text.replaceAll('\r\n', '\n').replaceAll('’', "'"))) {
    for (const sentence of splitSentences(paragraph)) {
      if (sentence.length < MIN_SENTENCE_CHARS || sentence.length > MAX_SENTENCE_CHARS) continue;
      sentences.push(sentence);
      if (sentences.length === maxSentences) return sentences;
    }
  }
  return sentences;
}

/** The prose of a text: lines of a wrapped sentence are joined, everything a program wrote is left out. */
function* paragraphsOf(text: string): Generator<string> {
  const lines = text.split('\n');
  const closings = closingTags(lines);
  let isFenced = false;
  let isPasted = false;
  let prose = '';
  for (let number = 0; number < lines.length; number++) {
    const line = lines[number]!;
    const wrapper = isFenced ? undefined : WRAPPER_OPENS.exec(line)?.[1];
    if (wrapper !== undefined) {
      number = Math.max(number, closings.get(wrapper.toLowerCase()) ?? number);
      continue;
    }
    if (FENCE.test(line)) {
      isFenced = !isFenced;
      continue;
    }
    if (line.trim() === '') isPasted = false;
    if (SHELL_PROMPT.test(line)) isPasted = true;
    const isProse = !isFenced && !isPasted && line.trim() !== '' && !isMachineLine(line);
    const content = isProse ? line.replace(BULLET, '').trim() : '';
    const continues = prose !== '' && /[^.!?:;]$/.test(prose) && /^\p{Ll}/u.test(content);
    if (!continues && prose !== '') yield prose;
    prose = continues && !BULLET.test(line) ? `${prose} ${content}` : content;
    // The text below such a line is quoted from another message.
    if (isProse && ANNOUNCES_PASTE.test(line)) isPasted = true;
  }
  if (prose !== '') yield prose;
}

function closingTags(lines: readonly string[]): Map<string, number> {
  const closings = new Map<string, number>();
  lines.forEach((line, number) => {
    for (const [, name] of line.matchAll(/<\/([a-z][\w-]{0,60})>/gi))
      closings.set(name!.toLowerCase(), number);
  });
  return closings;
}

function isMachineLine(line: string): boolean {
  if (line.length > 2_000) return true;
  return (
    QUOTED_LINE.test(line) ||
    HEADING.test(line) ||
    MACHINE_LINES.some((pattern) => pattern.test(line)) ||
    isSymbols(line)
  );
}

/** Code and tables without one of the known beginnings: a quarter of what is written are symbols. */
function isSymbols(line: string): boolean {
  const symbols = line.replace(/[\p{L}\p{N}\s.,!?'"`:;()-]/gu, '').length;
  return symbols * 4 > line.replace(/\s/g, '').length;
}

const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|Dr|Mr|Mrs|Ms|St|Nr|z\.B|d\.h|bzw|ca|Sr|Sra|p\. ?ex)|\b\p{Lu})$/u;

function* splitSentences(paragraph: string): Generator<string> {
  let start = 0;
  for (const match of paragraph.matchAll(/[.!?]+["')\]]?(?=\s)/g)) {
    const before = paragraph.slice(Math.max(start, match.index - 10), match.index);
    const next = paragraph
      .slice(match.index + match[0].length)
      .trimStart()
      .charAt(0);
    // "4. Mai", "e.g. this": the sentence goes on.
    const isPeriod = match[0].startsWith('.');
    if (isPeriod && (ABBREVIATION.test(before) || (/\d$/.test(before) && !/\p{Lu}/u.test(next)))) continue;
    if (
      isPeriod &&
      /(?:^|\s)\d{1,2}$/.test(before) &&
      MONTH.test(paragraph.slice(match.index + 1, match.index + 14))
    )
      continue;
    const end = match.index + match[0].length;
    yield paragraph.slice(start, end).trim();
    start = end;
  }
  yield paragraph.slice(start).trim();
}

const MONTH = /^\s*(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/;

/** A sentence as the rules read it: lower case, without greetings in front, quoted speech and long inline code. */
export function readableSentence(sentence: string): string {
  return withoutFillers(
    sentence
      .replace(/`([^`]{1,40})`/g, '$1')
      .replace(/`[^`]*`/g, ' ')
      .replace(QUOTED_SPEECH, ' … '),
  ).toLowerCase();
}

/** Three words or more between quotation marks are a quotation; one or two are a name. */
const QUOTED_SPEECH = /(?<![\p{L}\p{N}.,])["“„«](?=\S)[^"”“»]*\s[^"”“»]*\s[^"”“»]*["”“»]/gu;

const FILLER =
  /^(?:ok(?:ay)?|so|well|also|and|but|btw|by the way|hey|hi|hello|thanks|thank you|great|cool|nice|perfect|yes|yeah|yep|sure|oh|ah|hmm?|um|uh|anyway|fyi|for context|some context(?: first)?|quick note|quick intro|just so you know|one more thing|oh and|right|alright|then|now|besides|additionally|look|listen|honestly|basically|generally|in general|as i said|as mentioned|übrigens|also|und|aber|hallo|danke|ja|genau|au fait|et|mais|merci|oui|d'accord|bonjour|hola|gracias|sí|y|pero|por cierto|vale)(?:\s*[,:;.!–—-]+\s*|\s+)(?=\S)/i;

function withoutFillers(sentence: string): string {
  let rest = sentence;
  for (let count = 0; count < 4; count++) {
    const shorter = rest.replace(FILLER, '');
    if (shorter === rest || shorter.length < MIN_SENTENCE_CHARS) break;
    rest = shorter;
  }
  return rest
    .replace(
      /[,;]?\s+(?:btw|by the way|fyi|please|thanks|bitte|übrigens|au fait|por cierto|por favor|s'il te plaît)\s*[.!]*$/i,
      '',
    )
    .trim();
}

/** The statement without what only belongs to the conversation, as it is proposed. */
export function statementOf(sentence: string): string {
  const rest = withoutFillers(sentence).replace(MARKER, '').trim();
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

const MARKER =
  /^(?:(?:please )?(?:remember|note|keep in mind|don't forget|bear in mind)(?: that|:)?|for the record[:,]?|note:|merk dir(?:,? dass|:)?|denk daran(?:,? dass|:)?|souviens-toi que|note que|recuerda que|ten en cuenta que)\s+/i;
