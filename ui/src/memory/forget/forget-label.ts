import type { Whose } from '../../api/fact-api.ts';
import { strings } from '../../strings.ts';

const text = strings.detail;

/** What the button says: in a memory that is not one's own it names that. */
export function forgetLabel({ caller, space }: Whose): string {
  if (space !== undefined) return text.forgetIn(space);
  return caller === undefined ? text.forget : text.forgetOf(caller);
}
