/** A secret that was sent and may be echoed in the response. */
export interface SentSecret {
  name: string;
  value: string;
}

/** Removes secrets from a response, in all encodings in which servers echo what they were sent. */
export interface Scrubber {
  text(text: string): string;
  /** `cut`: the bytes are truncated, so they may end with the beginning of a secret. */
  bytes(bytes: Uint8Array, cut: boolean): Uint8Array;
}

/** Treats bytes as Latin-1 text, one character per byte, so that binary data survives unchanged. */
export function createScrubber(secrets: readonly SentSecret[]): Scrubber {
  const spellings = secrets
    .flatMap(({ name, value }) => spellingsOf(value).map((spelling) => ({ name, spelling })))
    // A secret may contain another one: the longer is replaced first.
    .sort((a, b) => b.spelling.length - a.spelling.length);

  function scrubbed(latin1: string): string {
    let clean = latin1;
    for (const { name, spelling } of spellings) clean = clean.replaceAll(spelling, `[vault:${name}]`);
    return clean;
  }

  /** Removes the longest suffix that is the beginning of a secret. */
  function withoutPartialSecret(latin1: string): string {
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
      return Buffer.from(cut ? withoutPartialSecret(latin1) : latin1, 'latin1');
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

/** How these bytes look inside the base64 of a longer text, such as `user:secret`, at each of the three alignments. */
function insideBase64(bytes: Buffer): string[] {
  const found: string[] = [];
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // Omits characters that also depend on neighbouring bytes.
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    const certain = base64.slice(from, to);
    // Fewer characters would match by chance.
    if (certain.length >= 8) found.push(certain, certain.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return found;
}
