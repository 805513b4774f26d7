import type { FactVersion } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';

const text = strings.detail;
type Filed = Pick<FactVersion, 'category' | 'tags'>;

/** What changed besides the text: category and tags, a sentence each. */
export function filingChanges(from: Filed, to: Filed): string[] {
  const added = to.tags.filter((tag) => !from.tags.includes(tag));
  const removed = from.tags.filter((tag) => !to.tags.includes(tag));
  return [
    ...(from.category === to.category ? [] : [text.categoryChanged(from.category, to.category)]),
    ...(added.length === 0 ? [] : [text.tagsAdded(added)]),
    ...(removed.length === 0 ? [] : [text.tagsRemoved(removed)]),
  ];
}
