import { InvalidNamespaceError, type Item } from '@langchain/langgraph-checkpoint';
import type { Fact } from '../../client/index.ts';

// Items of a LangGraph store and facts: the item `k` of the namespace ["a", "b"] is the fact `langgraph/a/b/k`, its value
// as JSON. Labels and keys are percent-encoded, so that none of them can contain a slash.

const ROOT = 'langgraph';
/** Of items that were put with `index: false`: they are not found by words. */
export const UNINDEXED = 'langgraph-unindexed';

export const prefixOf = (namespace: readonly string[]) =>
  [ROOT, ...namespace].map(encodeURIComponent).join('/').concat('/');

export const factKeyOf = (namespace: readonly string[], key: string) =>
  prefixOf(namespace) + encodeURIComponent(key);

/** The namespace and the key that a fact's key stands for. */
function nameOf(factKey: string): { namespace: string[]; key: string } {
  const labels = factKey.split('/').slice(1).map(decodeURIComponent);
  const key = labels.pop()!;
  return { namespace: labels, key };
}

/** The item that a fact holds; undefined if a person or another program wrote something else under its key. */
export function itemOf({ key, value, created_at, updated_at }: Fact): Item | undefined {
  try {
    return {
      ...nameOf(key),
      value: JSON.parse(value),
      createdAt: new Date(created_at),
      updatedAt: new Date(updated_at),
    };
  } catch {
    return undefined;
  }
}

/** Throws on namespaces that other stores of LangGraph refuse, in their words. */
export function assertNamespace(namespace: readonly string[]): void {
  if (namespace.length === 0) throw new InvalidNamespaceError('Namespace cannot be empty.');
  for (const label of namespace) {
    const found = `Invalid namespace label '${label}' found in ${namespace}.`;
    if (typeof label !== 'string')
      throw new InvalidNamespaceError(`${found} Namespace labels must be strings, but got ${typeof label}.`);
    if (label.includes('.'))
      throw new InvalidNamespaceError(`${found} Namespace labels cannot contain periods ('.').`);
    if (label === '')
      throw new InvalidNamespaceError(
        `Namespace labels cannot be empty strings. Got ${label} in ${namespace}`,
      );
  }
  if (namespace[0] === ROOT)
    throw new InvalidNamespaceError(`Root label for namespace cannot be "${ROOT}". Got: ${namespace}`);
}
