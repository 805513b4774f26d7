import { createHash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { FactView, VersionView } from '../../memory/facts/read-facts.ts';

// A memory of mem0 as a fact: the id is the key below `mem0/`, agents, runs and metadata are tags.

export const PREFIX = 'mem0/';
export const TAG = 'mem0';
const META = 'meta:';

/** Whom or what a memory is about besides the user, who is always the caller. */
export const ENTITIES = ['agent_id', 'run_id', 'app_id'] as const;
export type Entities = Partial<Record<(typeof ENTITIES)[number], string>>;
export type Metadata = Record<string, unknown>;

const idOf = (key: string) => encodeURIComponent(key.slice(PREFIX.length));

export function keyOf(id: string): string {
  try {
    return PREFIX + decodeURIComponent(id);
  } catch {
    throw new AppError('not_found', 'There is no memory with this id.');
  }
}

export const entityTags = (entities: Entities) =>
  ENTITIES.flatMap((name) => (entities[name] === undefined ? [] : [`${name}=${entities[name]}`]));

export const metadataTags = (metadata: Metadata = {}) =>
  Object.entries(metadata).map(([name, value]) => `${META}${name}=${valueText(value)}`);

/** The tags of a memory whose metadata is replaced. */
export const withMetadata = (tags: readonly string[], metadata: Metadata) => [
  ...tags.filter((tag) => !tag.startsWith(META)),
  ...metadataTags(metadata),
];

/** Numbers, booleans and the like are JSON; so is a text that could be taken for one. */
function valueText(value: unknown): string {
  return typeof value === 'string' && metadataValue(value) === value
    ? value
    : (JSON.stringify(value) ?? 'null');
}

function metadataValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function tagValue(tags: readonly string[], name: string): string | null {
  const start = `${name}=`;
  return tags.find((tag) => tag.startsWith(start))?.slice(start.length) ?? null;
}

/** The metadata that tags hold, as names and values. */
export const metadataOf = (tags: readonly string[]): [string, unknown][] =>
  tags.flatMap((tag): [string, unknown][] => {
    const [, name, text] = /^meta:([^=]*)=(.*)$/s.exec(tag) ?? [];
    return name === undefined ? [] : [[name, metadataValue(text!)]];
  });

/** A fact as mem0 shows a memory. */
export function memoryView(
  fact: Pick<FactView, 'key' | 'value' | 'category' | 'tags' | 'created_at' | 'updated_at' | 'expires_at'>,
  userId: string,
) {
  const metadata = metadataOf(fact.tags);
  return {
    id: idOf(fact.key),
    memory: fact.value,
    user_id: userId,
    agent_id: tagValue(fact.tags, 'agent_id'),
    run_id: tagValue(fact.tags, 'run_id'),
    app_id: tagValue(fact.tags, 'app_id'),
    hash: createHash('sha256').update(fact.value).digest('hex'),
    metadata: metadata.length === 0 ? null : Object.fromEntries(metadata),
    categories: [fact.category],
    created_at: fact.created_at,
    updated_at: fact.updated_at,
    expiration_date: fact.expires_at,
  };
}

/** The versions of a fact, newest first, as mem0 shows a history, oldest first. */
export function historyView(key: string, versions: readonly VersionView[], userId: string) {
  return versions.toReversed().map(({ version, value, category, at }, index, all) => {
    const before = all[index - 1];
    return {
      id: `${idOf(key)}.${version}`,
      memory_id: idOf(key),
      user_id: userId,
      input: [],
      old_memory: before?.value ?? null,
      new_memory: value,
      event: before ? 'UPDATE' : 'ADD',
      categories: [category],
      created_at: at,
      updated_at: at,
    };
  });
}
