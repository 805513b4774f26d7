// Which scope of a token includes which.

/** Whether a token with these scopes may do what needs this one: an admin's may do all, and who may write may propose. */
export function hasScope(scopes: ReadonlySet<string>, scope: string): boolean {
  if (scopes.has(scope) || scopes.has('admin')) return true;
  return scope === 'memory:propose' && scopes.has('memory:write');
}

/** Whether facts that are stored with these scopes wait in the inbox for a person. */
export function mayOnlyPropose(scopes: ReadonlySet<string>): boolean {
  return !hasScope(scopes, 'memory:write');
}
