/** Filters of the access audit; each is an exact name. */
export interface AuditSearch {
  actor?: string;
  target?: string;
  action?: string;
}

const NAMES = ['actor', 'target', 'action'] as const;

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const read: AuditSearch = {};
  for (const name of NAMES) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') read[name] = value;
  }
  return read;
}
