import { AppError } from '../../errors.ts';
import type { ForeignFormat } from '../candidate.ts';
import { contentKey, keyPath } from '../content-key.ts';
import { jsonElements } from '../reading/json-elements.ts';
import { isFields, textOf, textsOf, timeOf } from './json-fields.ts';

const CATEGORIES: Record<string, string> = {
  preference: 'preferences',
  instruction: 'preferences',
  goal: 'commitments',
  project: 'project_facts',
  environment: 'project_facts',
};

/** Portable AI Memory 1.x. Memories that are archived or superseded are left out. */
export const pam: ForeignFormat = {
  name: 'pam',
  detect: ({ head }) => /"schema"\s*:\s*"portable-ai-memory"/.test(head),
  async *read({ text }) {
    for await (const { member, value } of jsonElements(text)) {
      if (member === 'schema_version') assertVersion(value);
      if (member !== 'memories' || !isFields(value)) continue;
      const content = textOf(value.content);
      const status = textOf(value.status);
      const temporal = isFields(value.temporal) ? value.temporal : {};
      if (content === '' || (status !== '' && status !== 'active') || textOf(temporal.superseded_by) !== '')
        continue;
      const type = textOf(value.type);
      // What this server exported has its own key and category.
      const own =
        isFields(value.metadata) && isFields(value.metadata.helmdeck) ? value.metadata.helmdeck : {};
      yield {
        key: textOf(own.key) || contentKey(keyPath('pam', type), content),
        ...(textOf(own.key) ? { isKeyGiven: true as const } : {}),
        value: content,
        category: textOf(own.category) || CATEGORIES[type],
        tags: textsOf(value.tags),
        createdMs: timeOf(temporal.created_at),
        expiresMs: timeOf(temporal.valid_until),
      };
    }
  },
};

function assertVersion(version: unknown): void {
  if (/^1(?:\.|$)/.test(String(version))) return;
  throw new AppError('invalid_input', 'This version of Portable AI Memory is not supported; version 1 is.', {
    reason: 'wrong_version',
  });
}
