import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../api/call-api.ts';
import { storeFact } from '../../api/fact-api.ts';
import { MEMORY } from '../fact-queries.ts';
import { EXAMPLE_FACTS, EXAMPLE_TAG } from './example-facts.ts';

/** Fills an empty memory with example facts, or removes them. */
export function useExample() {
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [MEMORY] });
  const fill = useMutation({
    // One after the other: each is compared with those before it, which finds the contradiction.
    async mutationFn() {
      for (const fact of EXAMPLE_FACTS) await storeFact(fact);
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => callApi('POST /api/v1/memory/forget', { body: { scope: `tag:${EXAMPLE_TAG}` } }),
    onSettled,
  });
  return { fill, remove };
}
