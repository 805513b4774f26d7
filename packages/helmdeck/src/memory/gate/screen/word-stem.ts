// Words by a hash of their stem: counting words of a text this way makes no strings.

const START = 0x811c9dc5 | 0;
const SHORTEST_STEMMED = 5;

/** A hash of a word in small letters, without -s, -e, -es, -ed and -ing. */
export function stemOf(text: string, start: number, end: number): number {
  const last = stemEnd(text, start, end);
  let hash = START;
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    hash = Math.imul(hash ^ (code < 128 ? code | 0x20 : code), 0x01000193);
  }
  return hash;
}

function stemEnd(text: string, start: number, end: number): number {
  if (end - start < SHORTEST_STEMMED) return end;
  const letter = (fromEnd: number) => text[end - fromEnd]!.toLowerCase();
  const last = letter(1);
  if (last === 'e') return end - 1;
  if (last === 's') return letter(2) === 'e' ? end - 2 : end - 1;
  if (last === 'd' && letter(2) === 'e') return end - 2;
  return last === 'g' && letter(2) === 'n' && letter(3) === 'i' ? end - 3 : end;
}
