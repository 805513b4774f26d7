import { readFileSync } from 'node:fs';

/** A text of the corpus: the kind of credential (or group of harmless facts) and whether rules may be fitted to it. */
export interface CorpusText {
  kind: string;
  text: string;
  half: 'development' | 'held-out';
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS: Record<string, string> = {
  hex: '0123456789abcdef',
  HEX: '0123456789ABCDEF',
  an: LOWER + UPPER + DIGITS,
  low: LOWER + DIGITS,
  up: UPPER + DIGITS,
  dig: DIGITS,
  b64_: `${LOWER + UPPER + DIGITS}+/`,
  url: `${LOWER + UPPER + DIGITS}-_`,
  b32_: `${UPPER}234567`,
  wif: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  bech: 'qpzry9x8gf2tvdw0s3jn54khce6mua7l',
};
// Plain words that people choose as passwords, and words of the BIP-39 list.
const WORDS = 'kestrel lantern marble orchid pepper quartz saffron thunder velvet walnut falcon copper'.split(
  ' ',
);
const SEED_WORDS =
  'abandon ability able about above absent absorb abstract absurd abuse access accident legal winner thank year wave sausage worth useful yellow zoo wrong letter advice cage cloud dentist echo fabric galaxy hammer icon jungle kiwi lamp mango napkin ocean panda quantum rabbit saddle tackle umbrella vacant wagon zebra'.split(
    ' ',
  );

/** Deterministic, so that a failing text is the same on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function luhnDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return String((10 - (sum % 10)) % 10);
}

function expander(seed: number): (template: string) => string {
  const random = generator(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const run = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join('');
  const list = (count: number, one: () => string, separator: string): string =>
    Array.from({ length: count }, one).join(separator);
  const title = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
  const password = (): string => {
    const forms = [
      () => `${title(pick(WORDS))}${run(DIGITS, 4)}!`,
      () => `${pick(WORDS)}-${title(pick(WORDS))}-${run(DIGITS, 2)}`,
      () => run(`${ALPHABETS.an}#%&!`, 12),
      () => `${pick(WORDS)}${run(DIGITS, 3)}`,
      () => `${title(pick(WORDS))}${title(pick(WORDS))}${run(DIGITS, 2)}`,
    ];
    return pick(forms)();
  };
  const uuid = (): string => {
    const hex = ALPHABETS.hex!;
    return `${run(hex, 8)}-${run(hex, 4)}-4${run(hex, 3)}-a${run(hex, 3)}-${run(hex, 12)}`;
  };
  const base64url = (text: string): string => Buffer.from(text).toString('base64url');
  const card = (start: string, length: number): string => {
    const digits = start + run(DIGITS, length - 1 - start.length);
    return digits + luhnDigit(digits);
  };
  const named: Record<string, () => string> = {
    pw: password,
    word: () => pick(WORDS),
    bw: () => pick(SEED_WORDS),
    bip12: () => list(12, () => pick(SEED_WORDS), ' '),
    bip24: () => list(24, () => pick(SEED_WORDS), ' '),
    uuid,
    UUID: () => uuid().toUpperCase(),
    bytes64: () => list(64, () => String(below(256)), ','),
    jwt: () =>
      `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(`{"sub":"${run(DIGITS, 8)}"}`)}.${run(ALPHABETS.url!, 43)}`,
  };
  const encode: Record<string, (text: string) => string> = {
    b64: (text) => Buffer.from(text).toString('base64'),
    hex: (text) => Buffer.from(text).toString('hex'),
    pct: encodeURIComponent,
  };
  return (template) =>
    template
      .replace(/\{pem ([A-Z ]+)\}/g, (_, kind: string) => `${'-'.repeat(5)}BEGIN ${kind}${'-'.repeat(5)}`)
      .replace(/\{fp([0-9]+)\}/g, (_, count: string) =>
        list(Number(count), () => run(ALPHABETS.hex!, 2), ':'),
      )
      .replace(/\{card([sd]?) ([0-9]+) ([0-9]+)\}/g, (_, form: string, start: string, length: string) => {
        const digits = card(start, Number(length));
        return form === '' ? digits : digits.replace(/(.{4})(?=.)/g, form === 's' ? '$1 ' : '$1-');
      })
      .replace(/\{(hex|HEX|an|low|up|dig|b64_|url|b32_|wif|bech)([0-9]+)\}/g, (_, name: string, n: string) =>
        run(ALPHABETS[name]!, Number(n)),
      )
      .replace(/\{([a-zA-Z0-9]+)\}/g, (whole, name: string) => named[name]?.() ?? whole)
      .replace(/\[\[(b64|hex|pct) (.*?)\]\]/g, (_, name: string, text: string) => encode[name]!(text))
      .replace(/(?<!\\)\\n/g, '\n')
      .replaceAll('\\|', '|')
      .replaceAll('\\\\', '\\');
}

function kindsIn(file: string): string[] {
  const source = readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8');
  return source.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * The texts of a file and of its sequel. Kinds of credentials and harmless facts belong in turn to the half that the
 * rules were developed on and to the one that was held out; those of the sequel all belong to the former.
 */
export function readCorpus(file: 'credentials' | 'harmless'): CorpusText[] {
  const kinds = kindsIn(file);
  let seed = 0;
  return [...kinds, ...kindsIn(`further-${file}`)].flatMap((line, at) => {
    const [kind = '', forms = ''] = line.split(/ \| (.*)/s);
    return forms.split(' ¦ ').map((form, turn): CorpusText => {
      const isHeldOut = at < kinds.length && (file === 'credentials' ? at : at + turn) % 2 === 1;
      return { kind, text: expander(++seed)(form), half: isHeldOut ? 'held-out' : 'development' };
    });
  });
}
