import { createHash } from 'node:crypto';
import type { Sharing } from '../../../memory/store.ts';

/** How a user answered the only kind of question that the server asks: whether to go on. */
type Answer = 'yes' | 'no' | 'cancel';
type Result = Record<string, unknown>;

const WAITING = 'waiting';
const QUESTION_MS = 15 * 60_000;
const ANSWER_MS = 60_000;
const POLL_INTERVAL_MS = 1_000;

const RESULTS: Record<Answer, Result> = {
  yes: { action: 'accept', content: { confirm: true } },
  no: { action: 'decline' },
  cancel: { action: 'cancel' },
};

/** Brings answers to the node that asked: the client may post them to any. */
export interface QuestionRelay {
  /** Calls `onAnswer` if another node receives the answer. Must resolve before the question is sent, with how to stop. */
  expect(sessionId: string, requestId: string, onAnswer: (result: Result) => void): Promise<() => void>;
  /** Passes on the response to a question that another node asked in this session. */
  forward(sessionId: string, requestId: string, response: { result?: unknown }): Promise<void>;
}

/** A lease per question: its holder is `waiting`, and then the answer. Its name reveals neither caller nor session. */
export function createQuestionRelay(sharing: () => Sharing | undefined): QuestionRelay {
  const leaseOf = (sessionId: string, requestId: string) =>
    `question ${createHash('sha256').update(`${sessionId} ${requestId}`).digest('hex').slice(0, 32)}`;

  return {
    async expect(sessionId, requestId, onAnswer) {
      const shared = sharing();
      if (!shared) return () => {};
      const lease = leaseOf(sessionId, requestId);
      await shared.acquireLease(lease, WAITING, QUESTION_MS);
      const timer = setInterval(async () => {
        const holder = await shared.leaseHolder(lease).catch(() => undefined);
        if (holder === undefined || !(holder in RESULTS)) return; // not answered yet, or the store is unavailable
        clearInterval(timer);
        onAnswer(RESULTS[holder as Answer]);
      }, POLL_INTERVAL_MS).unref();
      return () => {
        clearInterval(timer);
        void shared.releaseLease(lease, WAITING).catch(() => {}); // it expires anyway
      };
    },
    async forward(sessionId, requestId, { result }) {
      const shared = sharing();
      if (!shared) return;
      const lease = leaseOf(sessionId, requestId);
      // Without a question under this id there is nothing to write.
      if ((await shared.leaseHolder(lease)) !== WAITING) return;
      await shared.releaseLease(lease, WAITING);
      await shared.acquireLease(lease, answerOf(result), ANSWER_MS);
    },
  };
}

function answerOf(result: unknown): Answer {
  const { action, content } = (result ?? RESULTS.cancel) as {
    action?: string;
    content?: { confirm?: unknown };
  };
  if (action === 'cancel') return 'cancel';
  return action === 'accept' && content?.confirm === true ? 'yes' : 'no';
}
