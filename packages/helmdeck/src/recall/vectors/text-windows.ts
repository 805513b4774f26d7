/** Cuts a text into at most `maxWindows` pieces of at most `maxUnits`, at the ends of words where there are any. */
export function textWindows(text: string, maxUnits: number, maxWindows: number): string[] {
  const rest = text.trim();
  const windows: string[] = [];
  let start = 0;
  while (start < rest.length && windows.length < maxWindows) {
    const end = endOfWindow(rest, start, maxUnits);
    const window = rest.slice(start, end).trim();
    if (window !== '') windows.push(window.toWellFormed());
    start = end;
  }
  // Even an empty text has a vector, so that nobody has to treat it apart.
  return windows.length === 0 ? [''] : windows;
}

function endOfWindow(text: string, start: number, maxUnits: number): number {
  const end = start + maxUnits;
  if (end >= text.length) return text.length;
  // A word that fills more than half of the window is cut: then it is no word.
  for (let at = end; at > start + maxUnits / 2; at--) if (isSpace(text.charCodeAt(at))) return at;
  return isSecondHalf(text.charCodeAt(end)) ? end - 1 : end;
}

const isSpace = (unit: number) => unit === 32 || (unit >= 9 && unit <= 13);
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
