import { isEcho, type TracedRun } from './traced-runs.ts';

/** The same packs in the same order, several times, with values that went from one to the next. */
export interface Sequence {
  packs: string[];
  /** The runs of each time, oldest first. */
  occurrences: TracedRun[][];
  /** How often the first pack ran at all. */
  of: number;
}

const SEQUENCE_POLICY = Object.freeze({
  minCount: 3,
  maxSteps: 8,
  /** How long after a run its output may be used, and after how many other runs. */
  windowSeconds: 1_800,
  maxRunsBetween: 10,
  sessionWindowSeconds: 86_400,
  /** Of all runs that had the values of a flow, how many must be part of the sequence; by chance it is very few. */
  minShare: 0.5,
  minDistinctValues: 2,
  /** A value that more runs have, and a larger share of all, links nothing. */
  commonRuns: 20,
  commonShare: 0.05,
});

/**
 * Finds sequences in runs, oldest first. Two runs are linked if one was given what the other had returned shortly before;
 * linked runs form occurrences. A sequence is what occurred at least three times, if the values that link it appear mostly
 * in it: a value that many runs have says nothing. Depends on nothing but the runs.
 */
export function findSequences(runs: readonly TracedRun[], trivial: ReadonlySet<string>): Sequence[] {
  const index = indexOf(runs, trivial);
  const found = [...groupOccurrences(runs, index)]
    .map(([, occurrences]) => asSequence(runs, index, occurrences))
    .filter((each) => each !== undefined)
    .sort(
      (a, b) =>
        b.packs.length - a.packs.length ||
        b.occurrences.length - a.occurrences.length ||
        (a.packs.join(' ') < b.packs.join(' ') ? -1 : 1),
    );
  const kept: Sequence[] = [];
  for (const each of found) if (!kept.some((longer) => covers(longer, each))) kept.push(each);
  return kept;
}

/** Positions of the runs that return a value as something new, and of those that are given it. */
interface ValueIndex {
  givers: Map<string, number[]>;
  takers: Map<string, number[]>;
}

function indexOf(runs: readonly TracedRun[], trivial: ReadonlySet<string>): ValueIndex {
  const { commonRuns, commonShare } = SEQUENCE_POLICY;
  const index: ValueIndex = { givers: new Map(), takers: new Map() };
  const add = (map: Map<string, number[]>, value: string, at: number) => {
    if (value === '' || trivial.has(value)) return;
    const known = map.get(value);
    if (!known) map.set(value, [at]);
    else if (known.at(-1) !== at) known.push(at);
  };
  for (const [at, run] of runs.entries()) {
    for (const value of Object.values(run.trace.in)) add(index.takers, value, at);
    for (const value of Object.values(run.trace.out)) if (!isEcho(run, value)) add(index.givers, value, at);
  }
  for (const map of [index.givers, index.takers])
    for (const [value, positions] of map)
      if (positions.length > Math.max(commonRuns, commonShare * runs.length)) map.delete(value);
  return index;
}

/** The last run before `at` that returned the value, if it is near. */
function giverOf(
  runs: readonly TracedRun[],
  index: ValueIndex,
  value: string,
  at: number,
): number | undefined {
  const giver = lastBefore(index.givers.get(value) ?? [], at);
  return giver !== undefined && areNear(runs, giver, at) ? giver : undefined;
}

function lastBefore(positions: readonly number[], at: number): number | undefined {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return positions[low - 1];
}

function areNear(runs: readonly TracedRun[], first: number, second: number): boolean {
  const { windowSeconds, maxRunsBetween, sessionWindowSeconds } = SEQUENCE_POLICY;
  const [a, b] = [runs[first]!, runs[second]!];
  const seconds = b.atUnix - a.atUnix;
  if (a.trace.session !== undefined && a.trace.session === b.trace.session)
    return seconds <= sessionWindowSeconds;
  return seconds <= windowSeconds && second - first <= maxRunsBetween + 1;
}

/** Groups of linked runs, and the paths through them, by the packs they ran. */
function groupOccurrences(runs: readonly TracedRun[], index: ValueIndex): Map<string, number[][]> {
  const parents = runs.map((_run, at) => {
    const givers = Object.values(runs[at]!.trace.in).map((value) => giverOf(runs, index, value, at));
    return new Set(givers.filter((giver) => giver !== undefined));
  });
  const groups = new Map<string, number[][]>();
  const used = new Map<string, Set<number>>();
  const add = (occurrence: number[]) => {
    const { length } = occurrence;
    if (length < 2 || length > SEQUENCE_POLICY.maxSteps) return;
    const packs = occurrence.map((at) => runs[at]!.pack).join(' ');
    const seen = used.get(packs) ?? new Set();
    used.set(packs, seen);
    if (occurrence.some((at) => seen.has(at))) return;
    for (const at of occurrence) seen.add(at);
    const group = groups.get(packs) ?? [];
    groups.set(packs, group);
    group.push(occurrence);
  };
  for (const component of componentsOf(parents)) add(component);
  for (const [at] of runs.entries()) {
    const path = [at];
    while (path.length < SEQUENCE_POLICY.maxSteps) {
      const before = [...parents[path[0]!]!];
      if (before.length === 0) break;
      path.unshift(Math.max(...before));
      add([...path]);
    }
  }
  return groups;
}

/** The runs that are linked with each other, directly or not; each group oldest first. */
function componentsOf(parents: readonly ReadonlySet<number>[]): number[][] {
  const roots = parents.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (roots[root] !== root) root = roots[root]!;
    roots[at] = root;
    return root;
  };
  for (const [at, givers] of parents.entries())
    for (const giver of givers) {
      const [a, b] = [rootOf(giver), rootOf(at)];
      roots[Math.max(a, b)] = Math.min(a, b);
    }
  const groups = new Map<number, number[]>();
  for (const at of parents.keys()) {
    const group = groups.get(rootOf(at)) ?? [];
    group.push(at);
    groups.set(rootOf(at), group);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** A value that goes from an output to a later input in many occurrences. */
interface Flow {
  from: number;
  to: number;
  inPath: string;
  outPath: string;
  occurrences: Set<number[]>;
}

/** The occurrences that the same flows hold together, if there are enough of them. */
function asSequence(
  runs: readonly TracedRun[],
  index: ValueIndex,
  occurrences: readonly number[][],
): Sequence | undefined {
  const { minCount } = SEQUENCE_POLICY;
  const length = occurrences[0]!.length;
  const joined = new Set([0]);
  let kept = [...occurrences];
  const flows = flowsOf(runs, index, kept);
  // Takes flows until every step is joined with the others, those with most occurrences first.
  for (let grown = true; grown && kept.length >= minCount; ) {
    grown = false;
    for (const { from, to, occurrences: of } of flows) {
      if (joined.has(from) === joined.has(to)) continue;
      const rest = kept.filter((each) => of.has(each));
      if (rest.length < minCount) continue;
      joined.add(from).add(to);
      kept = rest;
      grown = true;
      break;
    }
  }
  if (joined.size < length || kept.length < minCount) return undefined;
  const tuples = kept.map((each) => each.map((at) => runs[at]!));
  const packs = tuples[0]!.map(({ pack }) => pack);
  return { packs, occurrences: tuples, of: runs.filter(({ pack }) => pack === packs[0]).length };
}

function flowsOf(runs: readonly TracedRun[], index: ValueIndex, occurrences: readonly number[][]): Flow[] {
  const flows = new Map<string, Flow>();
  for (const occurrence of occurrences)
    for (const [to, taker] of occurrence.entries())
      for (const [inPath, value] of Object.entries(runs[taker]!.trace.in))
        for (const [from, giver] of occurrence.slice(0, to).entries()) {
          if (lastBefore(index.givers.get(value) ?? [], giver + 1) !== giver) continue;
          for (const [outPath, given] of Object.entries(runs[giver]!.trace.out)) {
            if (given !== value) continue;
            const name = `${from} ${outPath} ${to} ${inPath}`;
            const flow = flows.get(name) ?? { from, to, inPath, outPath, occurrences: new Set() };
            flow.occurrences.add(occurrence);
            flows.set(name, flow);
          }
        }
  return [...flows]
    .filter(([, flow]) => isTelling(runs, index, flow))
    .sort(([a, one], [b, other]) => other.occurrences.size - one.occurrences.size || (a < b ? -1 : 1))
    .map(([, flow]) => flow);
}

/** Whether the values of a flow differ, and appear mostly where they flowed. */
function isTelling(runs: readonly TracedRun[], { givers, takers }: ValueIndex, flow: Flow): boolean {
  const { minCount, minShare, minDistinctValues } = SEQUENCE_POLICY;
  const { from, to, inPath, occurrences } = flow;
  if (occurrences.size < minCount) return false;
  const [giver, taker] = [from, to].map((step) => [...occurrences][0]![step]!) as [number, number];
  const values = new Set([...occurrences].map((each) => runs[each[to]!]!.trace.in[inPath]!));
  const countRuns = (map: Map<string, number[]>, like: number) =>
    new Set(
      [...values]
        .flatMap((value) => map.get(value) ?? [])
        .filter((at) => runs[at]!.pack === runs[like]!.pack),
    ).size;
  return (
    values.size >= minDistinctValues &&
    occurrences.size >= minShare * countRuns(givers, giver) &&
    occurrences.size >= minShare * countRuns(takers, taker)
  );
}

/** Whether a shorter sequence is part of a longer one, and mostly ran as that part. */
function covers(longer: Sequence, shorter: Sequence): boolean {
  let at = 0;
  for (const pack of longer.packs) if (pack === shorter.packs[at]) at++;
  return at === shorter.packs.length && shorter.occurrences.length < 2 * longer.occurrences.length;
}
