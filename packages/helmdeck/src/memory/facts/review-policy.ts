/** How long after its confirmation a fact is due for review. `undefined`: never, unless the fact has a period of its own. */
export interface ReviewPolicy {
  byCategory: ReadonlyMap<string, number | undefined>;
  otherSeconds: number | undefined;
}
