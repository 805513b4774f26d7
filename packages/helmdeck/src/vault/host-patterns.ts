/** Whether a host matches one of these patterns: a host name, or `*.` and a domain for all its subdomains. */
export function matchesHost(patterns: readonly string[], host: string): boolean {
  return patterns.some((each) => (each.startsWith('*.') ? host.endsWith(each.slice(1)) : host === each));
}
