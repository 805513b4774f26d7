// Characters that a model reads and a person does not see: tag characters, direction overrides, zero-width characters.

// Some format characters are visible: the signs before Arabic, Syriac and Kaithi numbers.
const HIDDEN =
  /[[\p{Cf}--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffc\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f]/v;
// Parts of what is seen: emoji sequences, joiners in scripts that write with them, variants of Han and Mongolian letters.
const SEEN =
  /\p{RGI_Emoji}|(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Default_Ignorable_Code_Point}]])[\u200c\u200d](?=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Default_Ignorable_Code_Point}]])|(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}](?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]/v;
const SEEN_OR_HIDDEN = new RegExp(`(${SEEN.source})|${HIDDEN.source}+`, 'gv');
const EMOJI = /\p{RGI_Emoji}/gv;
// Word breaks and hints to renderers: their absence changes nothing for a reader.
const HARMLESS = /^(?:[\u00ad\u061c\u180e\u200b-\u200f\u2060\ufeff]|\u034f|[\ufe00-\ufe0f])*$/;
const PRINTABLE_ASCII = /^[\t\n\r\x20-\x7e]*$/;

/** Whether a name has characters that are not seen, so that two different names could look the same. Emoji may have them. */
export function hasHiddenCharacters(name: string): boolean {
  return !PRINTABLE_ASCII.test(name) && HIDDEN.test(name.replaceAll(EMOJI, ''));
}

/** A text as a person sees it: hidden characters are removed, or counted where they could carry a message or reorder text. */
export function visibleText(text: string): string {
  if (PRINTABLE_ASCII.test(text) || !HIDDEN.test(text)) return text;
  return text.replaceAll(SEEN_OR_HIDDEN, (match: string, seen: string | undefined) => {
    if (seen !== undefined) return match;
    return HARMLESS.test(match) ? '' : `⟨${[...match].length} hidden⟩`;
  });
}

/** Letters and signs that look like ASCII ones. */
const LOOK_ALIKES: Record<string, string> = {
  а: 'a', α: 'a', ɑ: 'a', ᴀ: 'a',
  в: 'b', ʙ: 'b',
  с: 'c', ϲ: 'c', ᴄ: 'c',
  ԁ: 'd', ᴅ: 'd',
  е: 'e', ҽ: 'e', ℮: 'e', ᴇ: 'e', ε: 'e',
  ꜰ: 'f',
  ɡ: 'g', ɢ: 'g',
  һ: 'h', հ: 'h', н: 'h', ʜ: 'h',
  і: 'i', ι: 'i', ı: 'i', ɩ: 'i', ɪ: 'i',
  ј: 'j', ᴊ: 'j',
  к: 'k', κ: 'k', ᴋ: 'k',
  ӏ: 'l', ǀ: 'l', ʟ: 'l',
  м: 'm', ᴍ: 'm',
  п: 'n', ո: 'n', ν: 'n', η: 'n', ɴ: 'n',
  о: 'o', ο: 'o', օ: 'o', ᴏ: 'o',
  р: 'p', ρ: 'p', ᴘ: 'p',
  ԛ: 'q',
  г: 'r', ᴦ: 'r', ʀ: 'r',
  ѕ: 's', ꜱ: 's',
  т: 't', τ: 't', ᴛ: 't',
  υ: 'u', ս: 'u', ᴜ: 'u',
  ѵ: 'v', ᴠ: 'v',
  ԝ: 'w', ω: 'w', ᴡ: 'w',
  х: 'x', χ: 'x',
  у: 'y', γ: 'y', ү: 'y', ʏ: 'y',
  ᴢ: 'z',
  '⁄': '/', '∕': '/', '⧸': '/', '╱': '/', '⟋': '/', '〳': '/',
  ˍ: '_', '‗': '_', '‿': '_',
}; // biome-ignore format: one letter a line

/** A name in lower case with every look-alike as the ASCII character that it imitates. */
export function asciiLookAlike(name: string): string {
  const folded = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return PRINTABLE_ASCII.test(name)
    ? folded
    : [...folded].map((character) => LOOK_ALIKES[character] ?? character).join('');
}
