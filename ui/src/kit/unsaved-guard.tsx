import { useBlocker } from '@tanstack/react-router';
import { strings } from '../strings.ts';
import { Dialog } from './dialog.tsx';
import { drafts } from './drafts.ts';

const text = strings.drafts;

interface UnsavedGuardProps {
  /** The name of the draft that the form writes. */
  draft: string;
  /** The search parameters that tell this form from others: while they stay the same, it is not left. */
  address: readonly string[];
}

/**
 * Asks once when a form with unsaved text is left. The draft outlives any way of leaving within the tab, so after that
 * it is left without a question. Closing the tab would lose it: then the browser asks.
 */
export function UnsavedGuard({ draft, address }: UnsavedGuardProps) {
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current.search, next.search] as Record<string, unknown>[];
      const stays = current.pathname === next.pathname && address.every((name) => from![name] === to![name]);
      return !stays && drafts.read(draft)?.asked === false;
    },
    enableBeforeUnload: () => drafts.read(draft) !== undefined,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog label={text.leaveTitle} className="dialog" onClose={leaving.reset}>
      <h2>{text.leaveTitle}</h2>
      <p className="muted">{text.leaveText}</p>
      <div className="row wrap mt-2">
        <button
          type="button"
          className="btn btn-ghost"
          onClick={() => {
            drafts.discard(draft);
            leaving.proceed();
          }}
        >
          {text.leaveDiscard}
        </button>
        <span className="grow" />
        <button type="button" className="btn" onClick={leaving.reset}>
          {text.stay}
        </button>
        <button
          type="button"
          className="btn btn-primary"
          // The dialog focuses it: this answer loses nothing.
          ref={(button) => button?.setAttribute('autofocus', '')}
          onClick={() => {
            drafts.markAsked(draft);
            leaving.proceed();
          }}
        >
          {text.leaveKeep}
        </button>
      </div>
    </Dialog>
  );
}
