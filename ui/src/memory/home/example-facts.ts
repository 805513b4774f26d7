import type { FactInput } from '../../api/generated/rest.ts';

/** Every example fact has it, so that all of them can be removed with one call, and nothing that a user tagged. */
export const EXAMPLE_TAG = 'helmdeck-example';

const fact = (key: string, value: string, category: string): FactInput => ({
  key,
  value,
  category,
  tags: [EXAMPLE_TAG],
});

/** A small memory to look around in, with two facts that contradict each other. */
export const EXAMPLE_FACTS: readonly FactInput[] = [
  fact('preferences/language', 'Write TypeScript unless the repository says otherwise.', 'preferences'),
  fact('preferences/tone', 'Short sentences, British spelling, no exclamation marks.', 'preferences'),
  fact('people/mara', 'Mara leads the platform team and reviews every schema change.', 'people'),
  fact(
    'deploy/how',
    'Releases go out through the pipeline on Tuesdays; nobody pushes tags by hand.',
    'deploy',
  ),
  fact('deploy/staging', 'Staging has 3 replicas.', 'deploy'),
  fact(
    'runbooks/restore',
    '1. Stop the writers\n2. Restore the last backup\n3. Check the row counts',
    'runbooks',
  ),
  fact('notes/standup', 'Staging has 5 replicas.', 'notes'),
];
