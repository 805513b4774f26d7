/**
 * The search parameters as a query string. Texts are written as they are; other values, and texts that would be
 * read as one of those, as JSON.
 */
export function writeQuery(search: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined) continue;
    const asItIs = typeof value === 'string' && parsed(value) === value;
    query.set(name, asItIs ? value : JSON.stringify(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export function readQuery(query: string): Record<string, unknown> {
  return Object.fromEntries([...new URLSearchParams(query)].map(([name, text]) => [name, parsed(text)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
