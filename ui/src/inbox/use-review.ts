import { useState } from 'react';
import type { Proposal } from '../api/inbox-api.ts';
import { type Decision, decide, useDecided } from './deciding.ts';
import { type InboxFilter, useInbox } from './inbox-queries.ts';

export type Review = ReturnType<typeof useReview>;

const NONE: ReadonlySet<string> = new Set();

/** The proposals that wait, which of them is shown, and which are selected. */
export function useReview(status: InboxFilter) {
  const inbox = useInbox(status);
  const decided = useDecided();
  const [shownId, setShownId] = useState<string>();
  const [selected, setSelected] = useState(NONE);
  const loaded = inbox.data?.pages.flatMap((page) => page.proposals) ?? [];
  const proposals = loaded.filter(({ id }) => !decided.has(id));
  const shown = proposals.find(({ id }) => id === shownId) ?? proposals[0];

  const move = (by: number) => {
    const at = proposals.findIndex(({ id }) => id === shown?.id) + by;
    const next = proposals[Math.max(0, Math.min(proposals.length - 1, at))];
    if (next) setShownId(next.id);
  };
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return {
    proposals,
    shown,
    selected,
    counts: inbox.data?.pages[0]?.counts,
    isLoaded: inbox.data !== undefined,
    isError: inbox.isError,
    loadMore: inbox.hasNextPage ? () => void inbox.fetchNextPage() : undefined,
    show: setShownId,
    move,
    toggle,
    selectAll: () => setSelected(new Set(proposals.map(({ id }) => id))),
    clear: () => setSelected(NONE),
    /** Decides about the selected proposals, or about the one that is shown. */
    decide(verdict: Decision['verdict'], edits?: Decision['edits']) {
      const chosen = selected.size > 0 && !edits ? proposals.filter(({ id }) => selected.has(id)) : [shown];
      const made = chosen.filter((each): each is Proposal => each !== undefined && isPossible(verdict, each));
      if (made.length === 0) return;
      const following = nextAfter(proposals, shown, new Set(made.map(({ id }) => id)));
      decide(
        made.map(({ id }) => ({ id, verdict, ...(edits ? { edits } : {}) })),
        made[0]!.key,
        ([first]) => setShownId(first),
      );
      setSelected(NONE);
      setShownId(following?.id);
    },
  };
}

/** A text that looks like a credential can only be rejected. */
const isPossible = (verdict: Decision['verdict'], { blocked }: Proposal) => verdict === 'reject' || !blocked;

/** The proposal that moves up when some are decided. */
function nextAfter(proposals: readonly Proposal[], shown: Proposal | undefined, gone: ReadonlySet<string>) {
  const at = proposals.findIndex(({ id }) => id === shown?.id);
  const isLeft = ({ id }: Proposal) => !gone.has(id);
  return proposals.slice(at).find(isLeft) ?? proposals.slice(0, Math.max(0, at)).findLast(isLeft);
}
