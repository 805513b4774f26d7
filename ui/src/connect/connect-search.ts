/** The URL search parameters of the page. */
export interface ConnectSearch {
  /** A right to tick besides those that the client usually gets. */
  right?: string;
}

export function readConnectSearch({ right }: Record<string, unknown>): ConnectSearch {
  return typeof right === 'string' && right !== '' ? { right } : {};
}
