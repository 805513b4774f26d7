import { useQueryClient } from '@tanstack/react-query';
import type { Pipeline } from '../api/generated/rest.ts';
import { RUNS } from '../memory/fact-queries.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { PIPELINES } from '../pipelines/pipeline-queries.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';

/** Shows a pipeline that was just made. */
export function useOpenPipeline(): (pipeline: Pipeline) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async ({ id, name }) => {
    announce(strings.routing.candidates.made(name));
    await queryClient.invalidateQueries({ queryKey: [PIPELINES] });
    await queryClient.invalidateQueries({ queryKey: [RUNS, 'candidates'] });
    void navigate({ to: '/packs', search: { pipeline: id } });
  };
}
