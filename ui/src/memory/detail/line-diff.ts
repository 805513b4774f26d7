export interface DiffPart {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  side: 'del' | 'add';
  parts: DiffPart[];
}

/** Above this many cells the comparison is too slow; the texts are shown whole. */
const MAX_CELLS = 4_000_000;

/** A line diff of two texts: only the lines that differ, with their changed words. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const steps = align(before.split('\n'), after.split('\n'));
  const lines: DiffLine[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    const paired = Math.min(removed.length, added.length);
    for (let i = 0; i < paired; i++) lines.push(...wordDiff(removed[i]!, added[i]!));
    for (const text of removed.slice(paired)) lines.push({ side: 'del', parts: [{ text, changed: true }] });
    for (const text of added.slice(paired)) lines.push({ side: 'add', parts: [{ text, changed: true }] });
    removed = [];
    added = [];
  };
  for (const { side, item } of steps) {
    if (side === 'del') removed.push(item);
    else if (side === 'add') added.push(item);
    else flush();
  }
  flush();
  return lines;
}

function wordDiff(before: string, after: string): DiffLine[] {
  const steps = align(words(before), words(after));
  const partsOf = (side: 'del' | 'add') => {
    const parts: DiffPart[] = [];
    for (const step of steps) {
      if (step.side !== 'same' && step.side !== side) continue;
      const changed = step.side === side;
      const last = parts.at(-1);
      if (last?.changed === changed) last.text += step.item;
      else parts.push({ text: step.item, changed });
    }
    return joinAcrossSpaces(parts);
  };
  return [
    { side: 'del', parts: partsOf('del') },
    { side: 'add', parts: partsOf('add') },
  ];
}

/** Joins two changed words with only a space between them into one change. */
function joinAcrossSpaces(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const [index, part] of parts.entries()) {
    const last = joined.at(-1);
    const gap = !part.changed && part.text.trim() === '' && parts[index + 1]?.changed === true;
    if (last?.changed && (part.changed || gap)) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined;
}

const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

interface Step {
  side: 'same' | 'del' | 'add';
  item: string;
}

/** The longest common subsequence by the quadratic algorithm: values have at most 64 KiB. */
function align(before: readonly string[], after: readonly string[]): Step[] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MAX_CELLS) {
    return [
      ...before.map((item) => ({ side: 'del', item }) as const),
      ...after.map((item) => ({ side: 'add', item }) as const),
    ];
  }
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < rows && j < columns) {
    if (before[i] === after[j]) {
      steps.push({ side: 'same', item: before[i]! });
      i++;
      j++;
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
      steps.push({ side: 'del', item: before[i++]! });
    } else steps.push({ side: 'add', item: after[j++]! });
  }
  while (i < rows) steps.push({ side: 'del', item: before[i++]! });
  while (j < columns) steps.push({ side: 'add', item: after[j++]! });
  return steps;
}
