import { createYielder } from '../runtime/yield-to-event-loop.ts';
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

/** MIME wraps base64 into lines; longer texts than this are matched without. */
const MAX_WRAPPED_CHARS = 4_096;

/** Treats bytes as Latin-1 text, one character per byte, so that binary data survives unchanged. */
export function createScrubber(secrets: readonly SentSecret[]): Scrubber {
  const spellings = secrets
    .flatMap(({ name, value }) => {
      const { plain, base64 } = spellingsOf(value);
      return [
        ...plain.map((text) => ({ name, text, pattern: text as string | RegExp })),
        ...base64.map((text) => ({ name, text, pattern: acrossLines(text) })),
      ];
    })
    // A secret may contain another one: the longer is replaced first.
    .sort((a, b) => b.text.length - a.text.length);

  async function scrubbed(latin1: string): Promise<string> {
    const yieldIfDue = createYielder();
    let clean = latin1;
    for (const { name, pattern } of spellings) {
      clean = clean.replaceAll(pattern, () => `[vault:${name}]`);
      const pause = yieldIfDue();
      if (pause) await pause;
    }
    return clean;
  }

  /** Removes the longest suffix that is the beginning of a secret. */
  function withoutPartialSecret(latin1: string): string {
    let longest = 0;
    for (const { text } of spellings) {
      for (let length = Math.min(text.length - 1, latin1.length); length > longest; length--) {
        if (latin1.endsWith(text.slice(0, length))) longest = length;
      }
    }
    return latin1.slice(0, latin1.length - longest);
  }

  return {
    async text(text) {
      if (spellings.length === 0) return text;
      return Buffer.from(await scrubbed(Buffer.from(text).toString('latin1')), 'latin1').toString();
    },
    async bytes(bytes, cut) {
      if (spellings.length === 0) return bytes;
      const latin1 = await scrubbed(Buffer.from(bytes).toString('latin1'));
      return Buffer.from(cut ? withoutPartialSecret(latin1) : latin1, 'latin1');
    },
  };
}

function acrossLines(base64: string): string | RegExp {
  if (base64.length > MAX_WRAPPED_CHARS) return base64;
  return new RegExp(
    [...base64].map((character) => character.replace(/[+/]/, '\\$&')).join('(?:\\r?\\n)?'),
    'g',
  );
}
