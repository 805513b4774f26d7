/** The URL search parameters of the page: the pack or pipeline that is open. */
export interface PacksSearch {
  pack?: string;
  version?: string;
  pipeline?: string;
  run?: string;
  mode?: 'new' | 'edit';
}

const NAMES = ['pack', 'version', 'pipeline', 'run'] as const;

export function readPacksSearch(search: Record<string, unknown>): PacksSearch {
  const read: PacksSearch = {};
  for (const name of NAMES) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
  }
  if (search.mode === 'new' || search.mode === 'edit') read.mode = search.mode;
  return read;
}
