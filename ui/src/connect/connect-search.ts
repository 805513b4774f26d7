/** The URL search parameters of the page. */
export interface ConnectSearch {
  /** The chosen client. */
  client?: string;
  /** A right to tick besides those that the client usually gets. */
  right?: string;
}

export function readConnectSearch({ client, right }: Record<string, unknown>): ConnectSearch {
  const read: ConnectSearch = {};
  if (typeof client === 'string' && client !== '') read.client = client;
  if (typeof right === 'string' && right !== '') read.right = right;
  return read;
}
