import { type Memory, walkEntries } from '../../memory/memory.ts';
import { isoMs } from '../../memory/times.ts';
import { type RecentRun, walkRuns } from './defaults.ts';
import type { PlanRecord } from './run-history.ts';

/** Plans for intents that ask for the same. */
export interface IntentCohort {
  /** The words they have in common with the catalogue. */
  intent: string;
  plans: number;
  last_unix: number;
  top_tools: { id: string; planned: number; ran: number }[];
  /** What became of them: plans of which every step ran, some did, or none; and tools that ran instead or besides. */
  drift: { followed: number; partly: number; unused: number; unplanned: { id: string; count: number }[] };
}

/** The `helmdeck://my-plans` document. */
export interface MyPlans {
  scope: string;
  fetched_at: string;
  cohorts: IntentCohort[];
  note?: string;
}

const MAX_PLANS = 1_000;
const MAX_COHORTS = 20;
const MAX_TOOLS = 8;
/** What runs within this time, and before the next plan, belongs to a plan. */
const WINDOW_SECONDS = 1_800;

interface Tally {
  plans: number;
  lastUnix: number;
  planned: Map<string, number>;
  ran: Map<string, number>;
  unplanned: Map<string, number>;
  followed: number;
  partly: number;
  unused: number;
}

/** Compares the caller's plans with what ran after them. */
export async function myPlans(memory: Memory): Promise<MyPlans> {
  await memory.pending.drain(memory.directory.idOf(memory.caller));
  const cohorts = new Map<string, Tally>();
  const plans = await readPlans(memory);
  const runs = plans.length === 0 ? [] : await runsSince(memory, plans.at(-1)!.at_unix);
  for (const [at, plan] of plans.entries()) {
    const endUnix = Math.min(
      plans[at - 1]?.at_unix ?? Number.POSITIVE_INFINITY,
      plan.at_unix + WINDOW_SECONDS,
    );
    const ids = runs
      .filter(({ at_unix }) => at_unix >= plan.at_unix && at_unix < endUnix)
      .map(({ id }) => id);
    count(cohorts, plan, new Set(ids));
  }
  return {
    scope: memory.scope,
    fetched_at: isoMs(memory.now()),
    cohorts: [...cohorts]
      .sort(
        ([a, one], [b, other]) =>
          other.plans - one.plans || other.lastUnix - one.lastUnix || (a < b ? -1 : 1),
      )
      .slice(0, MAX_COHORTS)
      .map(([intent, tally]) => cohortView(intent, tally)),
    ...(plans.length === 0 ? { note: 'Nothing has been planned yet.' } : {}),
  };
}

/** Newest first. */
async function readPlans(memory: Memory): Promise<PlanRecord[]> {
  const keys = await memory.directory.runs.find(memory.caller);
  const plans: PlanRecord[] = [];
  if (!keys) return plans;
  for await (const { value } of walkEntries(memory, keys, { kinds: ['audit.plan'], newestFirst: true })) {
    plans.push(JSON.parse(value) as PlanRecord);
    if (plans.length === MAX_PLANS) break;
  }
  return plans;
}

async function runsSince(memory: Memory, sinceUnix: number): Promise<RecentRun[]> {
  const runs: RecentRun[] = [];
  for await (const { run } of walkRuns(memory)) {
    if (run.at_unix < sinceUnix) break;
    // Choosing a tool is part of planning.
    if (!run.id.startsWith('helmdeck.')) runs.push(run);
  }
  return runs;
}

function count(
  cohorts: Map<string, Tally>,
  { intent, steps, at_unix }: PlanRecord,
  ran: ReadonlySet<string>,
): void {
  const [planned, done, unplanned] = [new Map(), new Map(), new Map()] as Map<string, number>[];
  const empty = { plans: 0, lastUnix: 0, planned, ran: done, unplanned, followed: 0, partly: 0, unused: 0 };
  const tally: Tally = cohorts.get(intent) ?? (empty as Tally);
  cohorts.set(intent, tally);
  tally.plans++;
  tally.lastUnix = Math.max(tally.lastUnix, at_unix);
  for (const id of new Set(steps)) {
    add(tally.planned, id);
    if (ran.has(id)) add(tally.ran, id);
  }
  for (const id of ran) if (!steps.includes(id)) add(tally.unplanned, id);
  const matched = steps.filter((id) => ran.has(id)).length;
  if (matched === 0) tally.unused++;
  else if (matched === steps.length) tally.followed++;
  else tally.partly++;
}

const add = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);

const top = (counts: ReadonlyMap<string, number>) =>
  [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MAX_TOOLS);

function cohortView(intent: string, tally: Tally): IntentCohort {
  const { plans, lastUnix, planned, ran, unplanned, followed, partly, unused } = tally;
  return {
    intent,
    plans,
    last_unix: lastUnix,
    top_tools: top(planned).map(([id, times]) => ({ id, planned: times, ran: ran.get(id) ?? 0 })),
    drift: {
      followed,
      partly,
      unused,
      unplanned: top(unplanned).map(([id, times]) => ({ id, count: times })),
    },
  };
}
