import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetRuns } from '../api/routing-api.ts';
import { may } from '../api/session-api.ts';
import { announce } from '../frame/announcer.tsx';
import { Dialog } from '../frame/dialog.tsx';
import { ProblemNote } from '../frame/problem-note.tsx';
import { RUNS, useCaller } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';

const text = strings.routing;

type What = { kind: 'all' } | { kind: 'pack' | 'pipeline'; id: string; name: string; times: number };

export const useMayForget = () => may(useSession(), 'memory:write');

async function forget(what: What, caller: string | undefined): Promise<number> {
  if (what.kind !== 'all') return (await forgetRuns(`${what.kind}:${what.id}`, caller)).deleted;
  const packs = await forgetRuns('packs', caller);
  const pipelines = await forgetRuns('pipelines', caller);
  return packs.deleted + pipelines.deleted;
}

/** Many records at once, so it is asked; a single one is undone instead. */
export function ConfirmForgetRuns({ what, onClose }: { what: What; onClose(): void }) {
  const caller = useCaller();
  const queryClient = useQueryClient();
  const act = useMutation({
    mutationFn: () => forget(what, caller),
    onSuccess: async (deleted) => {
      announce(text.forgot(deleted));
      onClose();
      await queryClient.invalidateQueries({ queryKey: [RUNS] });
    },
  });
  const title = what.kind === 'all' ? text.forgetAllTitle : text.forgetTitle(what.name);
  return (
    <Dialog label={title} className="dialog" onClose={onClose}>
      <h2>{title}</h2>
      <p className="muted">{what.kind === 'all' ? text.forgetAllText : text.forgetText(what.times)}</p>
      {caller !== undefined && <p className="note note-warn">{text.forgetFor(caller)}</p>}
      {act.isError && <ProblemNote error={act.error} />}
      <div className="row mt-2">
        <span className="grow" />
        <button type="button" className="btn" onClick={onClose}>
          {text.keep}
        </button>
        <button
          type="button"
          className="btn btn-danger-solid"
          disabled={act.isPending}
          onClick={() => act.mutate()}
        >
          {caller === undefined ? text.forgetYes : text.forgetYesOf(caller)}
        </button>
      </div>
    </Dialog>
  );
}
