// Finds every occurrence of a text, in linear time whatever the two look like: both may be chosen by a caller who wants the
// search to take long.

/** From this length on, a part of a pattern that repeats could make the native search quadratic. */
const MAX_BORDER = 64;

/** Where `pattern` occurs in `text`, without overlaps. */
export function findAll(text: string, pattern: string): number[] {
  const found: number[] = [];
  if (!isRepetitive(pattern)) {
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length))
      found.push(at);
    return found;
  }
  // Knuth, Morris and Pratt.
  const borders = bordersOf(pattern);
  for (let at = 0, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== pattern[matched]) matched = borders[matched - 1]!;
    if (text[at] === pattern[matched]) matched++;
    if (matched < pattern.length) continue;
    found.push(at + 1 - matched);
    matched = 0;
  }
  return found;
}

function isRepetitive(pattern: string): boolean {
  if (pattern.length <= MAX_BORDER) return false;
  const reversed = Buffer.from(pattern, 'latin1').reverse().toString('latin1');
  return [pattern, reversed].some((each) => bordersOf(each).some((border) => border >= MAX_BORDER));
}

/** For each prefix of a pattern, the length of its longest proper prefix that is also its suffix. */
function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  for (let at = 1, border = 0; at < pattern.length; at++) {
    while (border > 0 && pattern[at] !== pattern[border]) border = borders[border - 1]!;
    if (pattern[at] === pattern[border]) border++;
    borders[at] = border;
  }
  return borders;
}
