import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetRuns } from '../api/routing-api.ts';
import { may } from '../api/session-api.ts';
import { ConfirmDialog } from '../kit/confirm-dialog.tsx';
import { RUNS, useCaller } from '../memory/fact-queries.ts';
import { useSession } from '../session/session-context.ts';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';

const text = strings.routing;

type ForgetTarget = { kind: 'all' } | { kind: 'pack' | 'pipeline'; id: string; name: string; times: number };

export const useMayForget = () => may(useSession(), 'memory:write');

async function forget(what: ForgetTarget, caller: string | undefined): Promise<number> {
  if (what.kind !== 'all') return (await forgetRuns(`${what.kind}:${what.id}`, caller)).deleted;
  const packs = await forgetRuns('packs', caller);
  const pipelines = await forgetRuns('pipelines', caller);
  return packs.deleted + pipelines.deleted;
}

/** Asks before many run records are forgotten; a single one can be undone instead. */
export function ConfirmForgetRuns({ what, onClose }: { what: ForgetTarget; onClose(): void }) {
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
    <ConfirmDialog
      title={title}
      yes={caller === undefined ? text.forgetYes : text.forgetYesOf(caller)}
      no={text.keep}
      act={act}
      onClose={onClose}
    >
      <p className="muted">{what.kind === 'all' ? text.forgetAllText : text.forgetText(what.times)}</p>
      {caller !== undefined && <p className="note note-warn">{text.forgetFor(caller)}</p>}
    </ConfirmDialog>
  );
}
