/** Runs of base64 or hex; shorter ones hold no statement: "password=x" alone has 16 characters in base64. */
const ENCODED_RUN = /[A-Za-z0-9+/_-]{20,}/g;
const HEX = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/;
const ESCAPE = /%[2-7][0-9A-Fa-f]|\\u00[2-7][0-9A-Fa-f]|&(?:quot|apos|amp|lt|gt|#3[49]|#x2[27]);/;
const ALL_ESCAPES = new RegExp(ESCAPE.source, 'g');
const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
};
/** Enough characters to tell text from images, hashes and random keys. */
const SAMPLE_CHARS = 24;
const READABLE = /^[\x20-\x7e\s]+$/;

const unescaped = (sequence: string): string =>
  ENTITIES[sequence] ?? String.fromCharCode(Number.parseInt(sequence.slice(-2), 16));

function readable(run: string, encoding: 'base64' | 'hex'): string | undefined {
  // The sample is decoded first, so that a long image costs next to nothing.
  if (!READABLE.test(Buffer.from(run.slice(0, SAMPLE_CHARS), encoding).toString('latin1'))) return undefined;
  const text = Buffer.from(run, encoding).toString('utf8');
  return text.includes('\ufffd') ? undefined : text;
}

/**
 * What a text says in base64, in hex, and behind percent escapes, HTML entities and \u escapes: decoded once, not
 * again. All that is decoded is shorter than the text.
 */
export function decodedTexts(text: string): string[] {
  const found: string[] = [];
  if (ESCAPE.test(text)) found.push(text.replace(ALL_ESCAPES, unescaped));
  for (const [run] of text.matchAll(ENCODED_RUN)) {
    const hex = HEX.exec(run)?.[1];
    const decoded = hex === undefined ? readable(run, 'base64') : readable(hex, 'hex');
    if (decoded !== undefined) found.push(decoded);
  }
  return found;
}
