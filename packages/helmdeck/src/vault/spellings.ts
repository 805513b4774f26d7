// How a secret looks in a response that repeats it: as it was sent, or encoded by the server's libraries.

/** Shorter secrets in other letter case would match ordinary words. */
const MIN_RECASED_CHARS = 8;
/** Fewer characters of base64 would match by chance. */
const MIN_BASE64_CHARS = 8;

/** Every spelling of a secret, as Latin-1 text with one character per byte. */
export function spellingsOf(value: string): { plain: string[]; base64: string[] } {
  const bytes = Buffer.from(value);
  const recased = value.length < MIN_RECASED_CHARS ? [] : [value.toLowerCase(), value.toUpperCase()];
  const texts = [value, ...recased, ...inJson(value), ...inUrl(value), ...inHtml(value), ...inHex(bytes)];
  const wide = Buffer.from(value, 'utf16le');
  const plain = [
    ...texts.map((text) => Buffer.from(text).toString('latin1')),
    wide.toString('latin1'),
    Buffer.from(wide).swap16().toString('latin1'),
  ];
  const once = insideBase64(bytes);
  const twice = once.flatMap((text) => insideBase64(Buffer.from(text)));
  return { plain: distinct(plain), base64: distinct([...once, ...twice].flatMap(bothAlphabets)) };
}

const distinct = (texts: string[]) => [...new Set(texts)].filter((text) => text !== '');

/** Encoders escape different characters: JavaScript the fewest, Go `<>&`, PHP the slash, .NET most punctuation. */
function inJson(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const quoted = [json, json.replaceAll('/', '\\/')];
  const escaped = [/[<>&\u2028\u2029]/g, /[^\0-\x7f]/g, /[<>&'`+"]|[^\0-\x7f]/g].flatMap((characters) => {
    // The quote is escaped here, too, so the text may not have been through JSON.stringify before.
    const base = characters.source.includes('"') ? value.replaceAll('\\', '\\\\') : json;
    const withEscapes = (digits: (hex: string) => string) =>
      base.replace(characters, (character) => `\\u${digits(hexOf(character).padStart(4, '0'))}`);
    return [withEscapes((hex) => hex), withEscapes((hex) => hex.toUpperCase())];
  });
  return [...quoted, ...escaped, ...escaped.map((text) => text.replaceAll('/', '\\/'))];
}

const hexOf = (character: string) => character.charCodeAt(0).toString(16);

/** encodeURIComponent leaves `!'()*` alone, others encode them, or leave the slash; forms write a space as a plus sign. */
function inUrl(value: string): string[] {
  const percentOf = (character: string) => `%${hexOf(character).toUpperCase().padStart(2, '0')}`;
  let found = [encodeURIComponent(value)];
  const variants: ((text: string) => string)[] = [
    (text) => text.replace(/[!'()*]/g, percentOf),
    (text) => text.replace(/[~_.-]/g, percentOf),
    (text) => text.replaceAll('%2F', '/'),
    (text) => text.replaceAll('%20', '+'),
    (text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ];
  for (const variant of variants) found = distinct([...found, ...found.map(variant)]);
  return found;
}

function inHtml(value: string): string[] {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
  const special = /[&<>"'+/=`]/g;
  const named = (characters: RegExp, rest: (character: string) => string) =>
    value.replace(special, (each) => (characters.test(each) ? `&${names[each]};` : rest(each)));
  const decimal = (character: string) => `&#${character.charCodeAt(0)};`;
  return [
    named(/[&<>]/, (each) => each),
    named(/[&<>"]/, (each) => each),
    named(/[&<>"']/, (each) => each),
    named(/[&<>"]/, (each) => (each === "'" ? decimal(each) : each)),
    named(/[&<>]/, (each) => (/["'+]/.test(each) ? decimal(each) : each)),
    value.replace(special, decimal),
    value.replace(special, (each) => `&#x${hexOf(each)};`),
    value.replace(special, (each) => `&#x${hexOf(each).toUpperCase()};`),
    value.replace(/[^A-Za-z0-9]/g, decimal),
  ];
}

function inHex(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const forms = [hex, ...[':', ' ', '-'].map((separator) => hex.replace(/..(?!$)/g, `$&${separator}`))];
  return forms.flatMap((form) => [form, form.toUpperCase()]);
}

/** How these bytes look inside the base64 of a longer text, such as `user:secret`, at each of the three alignments. */
function insideBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // Omits characters that also depend on neighbouring bytes.
    const certain = base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return certain.length < MIN_BASE64_CHARS ? [] : [certain];
  });
}

const bothAlphabets = (base64: string) => [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
