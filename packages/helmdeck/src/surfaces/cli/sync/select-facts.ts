import { collectPages } from '../collect-pages.ts';
import type { Connection } from '../deps.ts';

/** A fact as the list of facts has it. */
export interface Fact {
  key: string;
  value: string;
  version: number;
  project?: string;
}

/** Which facts belong to a folder: those of its project, and those that name no project and lie below the prefixes. */
export interface FactSelection {
  /** Absent: every fact below the prefixes, whatever its project. */
  project?: string;
  prefixes: readonly string[];
}

/** The selected facts by key; the newest ones if there may be no more than `max` of each kind. */
export async function selectFacts(
  connection: Connection,
  { project, prefixes }: FactSelection,
  max?: number,
): Promise<Map<string, Fact>> {
  const filters = [
    ...(project === undefined ? [] : [{ project }]),
    ...prefixes.map((prefix) => ({ prefix })),
  ];
  const found = new Map<string, Fact>();
  for (const filter of filters)
    for (const fact of await listFacts(connection, filter, max))
      if (isOf(fact, project)) found.set(fact.key, fact);
  return found;
}

export async function listFacts(
  connection: Connection,
  filter: { category?: string; project?: string; prefix?: string },
  max?: number,
): Promise<Fact[]> {
  const query = { ...filter, ...(max === undefined ? {} : { sort: 'updated' as const }) };
  return (await collectPages(connection, 'GET /api/v1/memory/facts', { query }, 'facts', max)).items;
}

const isOf = (fact: Fact, project: string | undefined) =>
  project === undefined || fact.project === undefined || fact.project === project;
