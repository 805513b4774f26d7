/**
 * The restricted Damerau–Levenshtein distance of two words (insertions, deletions, substitutions, transpositions of
 * adjacent letters); `undefined` above `maxEdits`.
 */
export function boundedEditDistance(a: string, b: string, maxEdits: number): number | undefined {
  if (Math.abs(a.length - b.length) > maxEdits) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let rowMin = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
      rowMin = Math.min(rowMin, edits);
    }
    if (rowMin > maxEdits) return undefined;
    beforeLast = last;
    last = row;
  }
  const edits = last[b.length]!;
  return edits <= maxEdits ? edits : undefined;
}
