import { AppError } from '../../errors.ts';
import type { Source } from '../../memory/entry.ts';
import { forget } from '../../memory/erase/forget.ts';
import { rememberFact } from '../../memory/facts/remember.ts';
import { type FactRules, type ValidFact, validateFact } from '../../memory/facts/validate-fact.ts';
import { findEntry, type Memory } from '../../memory/memory.ts';
import {
  entityFact,
  entityKey,
  entityOf,
  GRAPH_TAG,
  type GraphEntity,
  type GraphRelation,
  relationKey,
  relationOf,
} from '../../portability/formats/graph-facts.ts';
import type { Recall } from '../../recall/recall.ts';

/** The graph of one caller, in whose name the tools read and write. */
export interface GraphAccess {
  memory: Memory;
  recall: Recall;
  rules: FactRules;
  source: Source;
  /** The token may only propose. */
  proposeOnly: boolean;
}

export interface Graph {
  entities: GraphEntity[];
  relations: GraphRelation[];
}

export interface NewObservations {
  entityName: string;
  contents: string[];
}

/** What became of a write. `waiting`: in the inbox, for a person; `declined`: by a person, before. */
type Outcome = 'stored' | 'waiting' | 'declined' | 'taken';

const MAX_GRAPH_FACTS = 100_000;
const MAX_ATTEMPTS = 5;

/** The whole graph, oldest first. */
export async function readGraph({ memory, recall }: GraphAccess): Promise<Graph> {
  const page = { limit: MAX_GRAPH_FACTS, sort: 'created' as const };
  const { facts } = await memory.limits.readLarge(memory.directory.idOf(memory.caller), () =>
    recall.list(memory, { tag: GRAPH_TAG }, page),
  );
  // The page is newest first; facts of the same millisecond stay in the order of their keys.
  facts.sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0));
  return {
    entities: facts.flatMap((fact) => entityOf(fact) ?? []),
    relations: facts.flatMap(({ key }) => relationOf(key) ?? []),
  };
}

/** The entities that match, with all relations to and from them. */
export async function subgraph(
  access: GraphAccess,
  matches: (entity: GraphEntity) => boolean,
): Promise<Graph> {
  const graph = await readGraph(access);
  const entities = graph.entities.filter(matches);
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}

/** Stores what is not there yet; returns what was stored, and how many wait in the inbox. */
export async function createAll<T>(
  access: GraphAccess,
  items: readonly T[],
  factOf: (item: T) => { key: string; value: string; tags: string[] },
): Promise<{ stored: T[]; waiting: number }> {
  // All are checked before the first is stored.
  const facts = items.map((item) => validateFact({ ...factOf(item), if_version: 0 }, access.rules));
  const stored: T[] = [];
  let waiting = 0;
  for (const [index, fact] of facts.entries()) {
    const outcome = await write(access, fact);
    if (outcome === 'stored') stored.push(items[index]!);
    if (outcome === 'waiting') waiting++;
  }
  return { stored, waiting };
}

/** Throws unless there are entities of these names. */
export async function assertEntities({ memory }: GraphAccess, names: readonly string[]): Promise<void> {
  for (const name of names) if (!(await findEntry(memory, 'fact', entityKey(name)))) throw missing(name);
}

/** Adds observations that the entity does not have yet; returns those. */
export async function addObservations(access: GraphAccess, { entityName, contents }: NewObservations) {
  let added: string[] = [];
  const outcome = await changeEntity(access, entityName, (entity) => {
    if (!entity) throw missing(entityName);
    added = contents.filter((text) => !entity.observations.includes(text));
    return [...entity.observations, ...added];
  });
  return { entityName, addedObservations: outcome === 'stored' ? added : [], waiting: outcome === 'waiting' };
}

/** Removes observations; an entity that is not there has none. */
export async function deleteObservations(access: GraphAccess, entityName: string, texts: readonly string[]) {
  await changeEntity(access, entityName, (entity) =>
    entity?.observations.filter((text) => !texts.includes(text)),
  );
}

/** Forgets entities with their relations; returns how many facts that were. */
export async function deleteEntities(access: GraphAccess, names: readonly string[]): Promise<number> {
  const { relations } = await readGraph(access);
  const gone = relations.filter(({ from, to }) => names.includes(from) || names.includes(to));
  return forgetAll(access, [...names.map(entityKey), ...gone.map(relationKey)]);
}

export const deleteRelations = (access: GraphAccess, relations: readonly GraphRelation[]) =>
  forgetAll(access, relations.map(relationKey));

async function forgetAll({ memory }: GraphAccess, keys: readonly string[]): Promise<number> {
  let deleted = 0;
  for (const name of keys) deleted += await forget(memory, { type: 'fact', name });
  return deleted;
}

/** Changes the observations of an entity, again from its new state if another client changed it in between. */
async function changeEntity(
  access: GraphAccess,
  name: string,
  change: (entity: GraphEntity | undefined) => string[] | undefined,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const fact = await findEntry(access.memory, 'fact', entityKey(name));
    const entity = fact && entityOf(fact);
    const observations = change(entity);
    if (!entity || !observations || observations.length === entity.observations.length) return 'stored';
    const { key, value } = entityFact({ ...entity, observations });
    const changed = validateFact({ key, value, if_version: fact.version ?? 1 }, access.rules);
    const outcome = await write(access, changed);
    if (outcome !== 'taken') return outcome;
    if (attempt === MAX_ATTEMPTS)
      throw new AppError('precondition_failed', 'The entity was changed by others at the same time.');
  }
}

/** Stores a fact; `taken` if it has another version than the expected one. */
async function write({ memory, source, proposeOnly }: GraphAccess, fact: ValidFact): Promise<Outcome> {
  try {
    const { status } = await rememberFact(memory, fact, { source, proposeOnly });
    if (status === 'active') return 'stored';
    return status === 'declined' ? 'declined' : 'waiting';
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'precondition_failed') return 'taken';
    throw thrown;
  }
}

const MAX_NAME_CHARS = 100;

const missing = (name: string) =>
  new AppError('not_found', `Entity with name ${name.slice(0, MAX_NAME_CHARS).toWellFormed()} not found`);
