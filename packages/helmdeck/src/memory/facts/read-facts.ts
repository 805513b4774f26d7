import { AppError } from '../../errors.ts';
import { groupId } from '../crypto/sealed.ts';
import type { Entry, Source } from '../entry.ts';
import { type Trust, trustOf } from '../gate/trust.ts';
import { findEntry, type Memory, readEntry, walkEntries, walkMemory } from '../memory.ts';
import { shownSource } from '../spaces/space-memory.ts';
import { isoMs, isoSeconds } from '../times.ts';
import { dueMs, type Freshness, type FreshnessView, freshnessView } from './freshness.ts';
import type { NeverRecalled } from './recall-count.ts';
import { FACT_POLICY } from './validate-fact.ts';
import { versionRowId } from './versions/version-rows.ts';

/** A fact as every surface returns it. */
export interface FactView extends FreshnessView {
  key: string;
  value: string;
  category: string;
  tags: string[];
  /** Absent: it is about no project in particular. */
  project?: string;
  version: number;
  created_at: string;
  updated_at: string;
  expires_at: string;
  source: Source;
  trust: Trust;
  /** Where it was last confirmed from, if not by the store of its value. */
  confirmed_by?: Source;
  /** In a space: the fact of a person's own memory that it was copied from. */
  promoted_from?: { version: number; at: string; by: string };
}

export interface VersionView {
  version: number;
  value: string;
  category: string;
  tags: string[];
  project?: string;
  at: string;
  source: Source;
  trust: Trust;
  promoted_from?: FactView['promoted_from'];
}

const UNKNOWN_SOURCE: Source = { surface: 'unknown' };

/** The fields of a fact that viewing or filtering it needs. */
export type ShownFact = Omit<Entry, 'id' | 'kind'>;

export function factView(freshness: Freshness, entry: ShownFact): FactView {
  return {
    key: entry.key,
    value: entry.value,
    category: entry.category ?? FACT_POLICY.defaultCategory,
    tags: entry.tags ?? [],
    ...projectView(entry),
    version: entry.version ?? 1,
    created_at: isoMs(entry.createdMs),
    updated_at: isoMs(entry.updatedMs),
    expires_at: isoSeconds(entry.expiresMs ?? 0),
    source: shownSource(freshness, entry.source ?? UNKNOWN_SOURCE),
    trust: trustOf(entry),
    ...freshnessView(freshness, entry),
    ...(entry.confirmedBy ? { confirmed_by: shownSource(freshness, entry.confirmedBy) } : {}),
    ...promotionView(freshness, entry),
  };
}

function promotionView({ seat }: Freshness, { promotedFrom }: Pick<Entry, 'promotedFrom'>) {
  if (!promotedFrom) return {};
  const { version, atMs, by } = promotedFrom;
  return { promoted_from: { version, at: isoMs(atMs), by: seat?.nameOf(by) ?? by } };
}

/** The project of an entry, on views of those that have one. */
export const projectView = ({ project }: Pick<Entry, 'project'>) => (project ? { project } : {});

/** The current value of a fact. */
export async function readFact(memory: Memory, key: string): Promise<FactView> {
  return factView(memory, await liveFact(memory, key));
}

/** A fact at one of its versions. Versions exist only while the fact is live. */
export async function readVersion(memory: Memory, key: string, version: number): Promise<FactView> {
  const fact = await liveFact(memory, key);
  if (version === fact.version) return factView(memory, fact);
  const keys = await memory.directory.findOrCreate(memory.caller);
  const old = await readEntry(memory, keys, versionRowId(keys, key, version));
  if (!old) throw new AppError('not_found', `There is no version ${version} of this fact.`);
  return asOldFact(memory, fact, old);
}

/** A fact as of a moment in the past. */
export async function readAsOf(memory: Memory, key: string, atMs: number): Promise<FactView> {
  const fact = await liveFact(memory, key);
  if ((fact.valueAtMs ?? fact.updatedMs) <= atMs) return factView(memory, fact);
  for (const old of await olderVersions(memory, fact)) {
    if ((old.valueAtMs ?? 0) <= atMs) return asOldFact(memory, fact, old);
  }
  throw new AppError(
    'not_found',
    'This fact did not exist then, or its version from that time is no longer stored.',
  );
}

/** All stored versions of a fact, the current one first. */
export async function readHistory(memory: Memory, key: string): Promise<VersionView[]> {
  const fact = await liveFact(memory, key);
  return [fact, ...(await olderVersions(memory, fact))].map((entry) => ({
    version: entry.version ?? 1,
    value: entry.value,
    category: entry.category ?? FACT_POLICY.defaultCategory,
    tags: entry.tags ?? [],
    ...projectView(entry),
    at: isoMs(entry.valueAtMs ?? entry.updatedMs),
    source: shownSource(memory, entry.source ?? UNKNOWN_SOURCE),
    trust: trustOf(entry),
    ...promotionView(memory, entry),
  }));
}

export interface FactFilter {
  prefix?: string;
  category?: string;
  /** A tag, or several that a fact must all have. */
  tag?: string | readonly string[];
  project?: string;
  /** The name of a client or a surface. */
  source?: string;
  expiringWithinSeconds?: number;
  /** Stale, or expiring within a week. */
  due?: true;
  /** Changed at this time or later. */
  updatedSinceMs?: number;
  /** Only facts that were never recalled, although they are old enough. */
  neverRecalled?: NeverRecalled;
}

/** The caller's live facts, newest first. */
export async function* walkFacts(
  memory: Memory,
  category?: string,
  beforeSeq?: number,
): AsyncGenerator<Entry> {
  const keys = await memory.directory.find(memory.caller);
  if (!keys) return;
  const group = category === undefined ? undefined : groupId(keys, 'category', category);
  yield* walkEntries(memory, keys, { kinds: ['fact'], group, newestFirst: true, beforeSeq });
}

/** A predicate for the filter; a prefix is literal and case-sensitive. */
export function factMatcher(memory: Memory, filter: FactFilter): (entry: ShownFact) => boolean {
  const nowMs = memory.now();
  const expiryMs =
    filter.expiringWithinSeconds === undefined ? undefined : nowMs + filter.expiringWithinSeconds * 1000;
  const tags = [filter.tag ?? []].flat();
  return (entry) => {
    if (filter.prefix !== undefined && !entry.key.startsWith(filter.prefix)) return false;
    if (filter.category !== undefined && entry.category !== filter.category) return false;
    if (!tags.every((tag) => entry.tags?.includes(tag))) return false;
    if (filter.project !== undefined && entry.project !== filter.project) return false;
    if (filter.neverRecalled && !filter.neverRecalled(entry)) return false;
    if (filter.updatedSinceMs !== undefined && entry.updatedMs < filter.updatedSinceMs) return false;
    if (filter.source !== undefined && ![entry.source?.client, entry.source?.surface].includes(filter.source))
      return false;
    if (filter.due && nowMs < dueMs(memory.review, entry)) return false;
    return expiryMs === undefined || (entry.expiresMs ?? 0) <= expiryMs;
  };
}

async function liveFact(memory: Memory, key: string): Promise<Entry> {
  const fact = await findEntry(memory, 'fact', key);
  if (!fact) throw new AppError('not_found', 'There is no such fact.');
  return fact;
}

async function olderVersions(memory: Memory, fact: Entry): Promise<Entry[]> {
  const versions: Entry[] = [];
  for await (const entry of walkMemory(memory, { kinds: ['version'], group: fact.id })) versions.push(entry);
  return versions.sort((a, b) => (b.version ?? 0) - (a.version ?? 0));
}

function asOldFact(memory: Memory, fact: Entry, old: Entry): FactView {
  const { createdMs, expiresMs, reviewAfterSeconds } = fact;
  return factView(memory, { ...old, createdMs, expiresMs, reviewAfterSeconds });
}
