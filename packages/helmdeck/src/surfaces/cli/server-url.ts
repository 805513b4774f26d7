/** The address of a server; that of its API or of an MCP endpoint is accepted too. */
export function serverUrl(text: string): string {
  return text.replace(/\/api\/v1(\/.*)?$/, '').replace(/\/+$/, '');
}
