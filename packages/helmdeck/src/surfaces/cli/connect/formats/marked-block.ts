// A block of lines between two markers in a file of the user: only the block is ever changed.

export interface Markers {
  begin: string;
  end: string;
}

/** The text with this block: in place of the one that it has, else at its end. */
export function withBlock(text: string, { begin, end }: Markers, lines: string, heading = ''): string {
  const block = `${begin}\n${lines}\n${end}`;
  const place = findBlock(text, { begin, end });
  if (place) return text.slice(0, place.start) + block + text.slice(place.end);
  const before = text.trim() === '' ? heading : `${text.trimEnd()}\n`;
  return `${before}${before === '' ? '' : '\n'}${block}\n`;
}

export function withoutBlock(text: string, markers: Markers): string {
  const place = findBlock(text, markers);
  if (!place) return text;
  const before = text.slice(0, place.start).trimEnd();
  const after = text.slice(place.end).trimStart();
  return (
    [before, after].filter((part) => part !== '').join('\n\n') + (after === '' && before !== '' ? '\n' : '')
  );
}

function findBlock(text: string, { begin, end }: Markers): { start: number; end: number } | undefined {
  const start = text.indexOf(begin);
  if (start < 0) return undefined;
  const stop = text.indexOf(end, start);
  if (stop < 0) throw new SyntaxError('the end marker of the Helmdeck block is missing');
  return { start, end: stop + end.length };
}
