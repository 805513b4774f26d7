import { createYielder } from '../runtime/yield-to-event-loop.ts';
import { findAll } from './find-all.ts';
import { spellingsOf } from './spellings.ts';

/** A secret that a response may repeat. */
export interface SentSecret {
  name: string;
  value: string;
}

/** Removes secrets from a response, in all encodings in which servers echo what they were sent. */
export interface Scrubber {
  text(text: string): Promise<string>;
  /** `cut`: the bytes are truncated, so they may end with the beginning of a secret. */
  bytes(bytes: Uint8Array, cut: boolean): Promise<Uint8Array>;
}

interface Match {
  start: number;
  end: number;
  name: string;
}

/** Treats bytes as Latin-1 text, one character per byte, so that binary data survives unchanged. */
export function createScrubber(secrets: readonly SentSecret[]): Scrubber {
  const spellings = secrets
    .flatMap(({ name, value }) => {
      const { plain, base64 } = spellingsOf(value);
      return [
        ...plain.map((text) => ({ name, text, isBase64: false })),
        ...base64.map((text) => ({ name, text, isBase64: true })),
      ];
    })
    // A secret may contain another one: the longer is replaced first.
    .sort((a, b) => b.text.length - a.text.length);
  const longest = spellings[0]?.text.length ?? 0;

  async function scrubbed(latin1: string): Promise<string> {
    const yieldIfDue = createYielder();
    let clean = latin1;
    for (const { name, text, isBase64 } of spellings) {
      const matches = findAll(clean, text).map((start) => ({ start, end: start + text.length, name }));
      clean = replaceMatches(clean, matches);
      if (isBase64) clean = replaceMatches(clean, acrossLines(clean, text, name));
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    return clean;
  }

  return {
    async text(text) {
      if (spellings.length === 0) return text;
      return Buffer.from(await scrubbed(Buffer.from(text).toString('latin1')), 'latin1').toString();
    },
    async bytes(bytes, cut) {
      if (spellings.length === 0) return bytes;
      // Always as much as any secret may have left: to cut only where one begins would tell how it begins.
      const whole = cut ? bytes.subarray(0, Math.max(0, bytes.length - longest + 1)) : bytes;
      return Buffer.from(await scrubbed(Buffer.from(whole).toString('latin1')), 'latin1');
    },
  };
}

function replaceMatches(text: string, matches: readonly Match[]): string {
  if (matches.length === 0) return text;
  let clean = '';
  let at = 0;
  for (const { start, end, name } of matches) {
    clean += `${text.slice(at, start)}[vault:${name}]`;
    at = end;
  }
  return clean + text.slice(at);
}

/** Occurrences of base64 that MIME has wrapped into lines: searches the text without its line breaks. */
function acrossLines(text: string, base64: string, name: string): Match[] {
  if (!text.includes('\n')) return [];
  const lines = text.split(/\r?\n/);
  const starts: { joined: number; original: number }[] = [];
  let [joined, original] = [0, 0];
  for (const line of lines) {
    starts.push({ joined, original });
    joined += line.length;
    original += line.length + (text[original + line.length] === '\r' ? 2 : 1);
  }
  const originalAt = (index: number) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]!.joined <= index) low = middle;
      else high = middle - 1;
    }
    return starts[low]!.original + index - starts[low]!.joined;
  };
  return findAll(lines.join(''), base64).map((start) => ({
    start: originalAt(start),
    end: originalAt(start + base64.length - 1) + 1,
    name,
  }));
}
