/** The URL search parameters of the page: the space that is open. */
export interface SpacesSearch {
  space?: string;
}

export function readSpacesSearch({ space }: Record<string, unknown>): SpacesSearch {
  return typeof space === 'string' && space !== '' ? { space } : {};
}
