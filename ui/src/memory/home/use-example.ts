import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../api/call-api.ts';
import { storeFact } from '../../api/fact-api.ts';
import { strings } from '../../strings.ts';
import { MEMORY } from '../fact-queries.ts';
import { noticeWrite } from '../write-notice.ts';
import { EXAMPLE_FACTS, EXAMPLE_TAG } from './example-facts.ts';

const text = strings.firstMinute;
const removeExample = () => callApi('POST /api/v1/memory/forget', { body: { scope: `tag:${EXAMPLE_TAG}` } });

/** Fills an empty memory with example facts, or removes them. */
export function useExample() {
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: [MEMORY] });
  const fill = useMutation({
    // One after the other: each is compared with those before it, which finds the contradiction.
    async mutationFn() {
      for (const fact of EXAMPLE_FACTS) await storeFact(fact);
    },
    onSuccess: () => noticeWrite({ text: text.filled, undo: removeExample }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: removeExample,
    onSuccess: () => noticeWrite({ text: text.removed }),
    onSettled,
  });
  return { fill, remove };
}
