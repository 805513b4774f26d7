/** A secret that was sent, and might come back. */
export interface SentSecret {
  name: string;
  value: string;
}

/** Takes secrets out of what came back, in the spellings in which servers repeat what they were sent. */
export interface Scrubber {
  text(text: string): string;
  /** `cut`: the bytes end early, so the end may hold the beginning of a secret. */
  bytes(bytes: Uint8Array, cut: boolean): Uint8Array;
}

/** Bytes are handled as Latin-1 text: one character each, so nothing is lost in what is no text at all. */
export function createScrubber(secrets: readonly SentSecret[]): Scrubber {
  const spellings = secrets
    .flatMap(({ name, value }) => spellingsOf(value).map((spelling) => ({ name, spelling })))
    // A secret may be part of another one: the longer goes first.
    .sort((a, b) => b.spelling.length - a.spelling.length);

  function scrubbed(latin1: string): string {
    let clean = latin1;
    for (const { name, spelling } of spellings) clean = clean.replaceAll(spelling, `[vault:${name}]`);
    return clean;
  }

  /** Without the longest end that begins a secret. */
  function withoutBeginning(latin1: string): string {
    let longest = 0;
    for (const { spelling } of spellings) {
      for (let length = Math.min(spelling.length - 1, latin1.length); length > longest; length--) {
        if (latin1.endsWith(spelling.slice(0, length))) longest = length;
      }
    }
    return latin1.slice(0, latin1.length - longest);
  }

  return {
    text(text) {
      if (spellings.length === 0) return text;
      return Buffer.from(scrubbed(Buffer.from(text).toString('latin1')), 'latin1').toString();
    },
    bytes(bytes, cut) {
      if (spellings.length === 0) return bytes;
      const latin1 = scrubbed(Buffer.from(bytes).toString('latin1'));
      return Buffer.from(cut ? withoutBeginning(latin1) : latin1, 'latin1');
    },
  };
}

function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value);
  const spellings = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...insideBase64(bytes),
  ];
  const asLatin1 = spellings.map((spelling) => Buffer.from(spelling).toString('latin1'));
  const wide = Buffer.from(value, 'utf16le').toString('latin1');
  return [...new Set([...asLatin1, wide])].filter((spelling) => spelling !== '');
}

/** How base64 of a longer text shows these bytes, wherever in its groups of three they begin: `user:secret` and the like. */
function insideBase64(bytes: Buffer): string[] {
  const found: string[] = [];
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // Characters that also depend on neighbouring bytes are left out.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    const sure = base64.slice(from, to);
    // Too few characters would be found everywhere.
    if (sure.length >= 8) found.push(sure, sure.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return found;
}
