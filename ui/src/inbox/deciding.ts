import { useSyncExternalStore } from 'react';
import { acceptProposal, decideProposals, type ProposalEdits, rejectProposal } from '../api/inbox-api.ts';
import { notices } from '../kit/notices.ts';
import { createUndoQueue } from '../kit/undo-queue.ts';
import { MEMORY } from '../memory/fact-queries.ts';
import { noticeWrite } from '../memory/write-notice.ts';
import { announce } from '../shell/announcer.tsx';
import { onFailure, queryClient } from '../shell/query-client.ts';
import { strings } from '../strings.ts';

const text = strings.inbox;

/** What a person decided about a proposal. */
export interface Decision {
  id: string;
  verdict: 'accept' | 'reject';
  /** Changes to make before it is accepted. */
  edits?: ProposalEdits;
}

const decisions = new Map<string, Decision>();

/** Decisions wait like forgets do, so that the last ones can be undone; one queue, so that leaving the page loses none. */
const queue = createUndoQueue({
  send: (id, leaving) => sendTogether(decisions.get(id)!, leaving),
  now: Date.now,
  setTimer: (work, ms) => setTimeout(work, ms),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  onSettled({ sent, failed }) {
    for (const id of sent) decisions.delete(id);
    if (failed.length > 0) {
      announce(text.failed(failed.length));
      notices.show({ text: text.failed(failed.length), retry: () => retry(failed) });
    }
    void queryClient.invalidateQueries({ queryKey: [MEMORY] });
  },
});

addEventListener('pagehide', () => void queue.flush(true));

/** The proposals that are decided, but perhaps not on the server yet. */
export const useDecided = () => useSyncExternalStore(queue.subscribe, queue.hidden);

/** Decides, says so, and offers to undo it. `key` is named if there is one decision. */
export function decide(
  made: readonly Decision[],
  key: string,
  onUndo: (ids: readonly string[]) => void,
): void {
  const ids = made.map(({ id }) => id);
  for (const decision of made) decisions.set(decision.id, decision);
  queue.add(ids);
  const isAccept = made[0]?.verdict === 'accept';
  const single = isAccept ? text.accepted : text.rejected;
  const many = isAccept ? text.acceptedMany(ids.length) : text.rejectedMany(ids.length);
  noticeWrite({
    ...(ids.length === 1 ? { text: single, key } : { text: many }),
    undo: async () => onUndo(queue.bringBack(ids)),
  });
}

function retry(ids: readonly string[]): void {
  notices.dismiss();
  queue.add(ids);
  void queue.flush(false);
}

interface Waiting {
  decision: Decision;
  done(): void;
  fail(error: unknown): void;
}

/** As many as the server takes in one call. */
const MAX_DECISIONS = 500;
let waiting: Waiting[] = [];

/** Decisions without changes that are sent in the same turn go out as one call. */
async function sendTogether(decision: Decision, leaving: boolean): Promise<void> {
  const { id, verdict, edits } = decision;
  if (edits || leaving) {
    await (verdict === 'accept'
      ? acceptProposal(id, edits ?? {}, { keepalive: leaving })
      : rejectProposal(id, { keepalive: leaving }));
    return;
  }
  const sent = new Promise<void>((done, fail) => waiting.push({ decision, done, fail }));
  if (waiting.length === 1) queueMicrotask(() => void sendAll());
  await sent;
}

async function sendAll(): Promise<void> {
  const all = waiting;
  waiting = [];
  for (let at = 0; at < all.length; at += MAX_DECISIONS) await sendBatch(all.slice(at, at + MAX_DECISIONS));
}

async function sendBatch(batch: readonly Waiting[]): Promise<void> {
  const idsOf = (verdict: Decision['verdict']) =>
    batch.filter(({ decision }) => decision.verdict === verdict).map(({ decision }) => decision.id);
  try {
    const failed = await decideProposals({ accept: idsOf('accept'), reject: idsOf('reject') });
    for (const { decision, done, fail } of batch) {
      const error = failed.get(decision.id);
      if (error) fail(error);
      else done();
    }
  } catch (thrown) {
    onFailure(thrown);
    for (const { fail } of batch) fail(thrown);
  }
}
