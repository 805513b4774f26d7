const MAX_WORDS = 5;
const MAX_CHARS = 60;

/** A key for a fact that is written without one: its first words, in a folder of their own. */
export function keyFor(value: string): string {
  const words = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = [...words.slice(0, MAX_WORDS).join('-')].slice(0, MAX_CHARS).join('');
  return `notes/${name || 'first'}`;
}
