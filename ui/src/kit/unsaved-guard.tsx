import { useEffect } from 'react';
import { useLeaveGuard } from '../navigation/navigation.tsx';
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
  const leaving = useLeaveGuard((here, next) => {
    const [from, to] = [here.search, next.search] as Record<string, unknown>[];
    const isLeft = here.pathname !== next.pathname || address.some((name) => from![name] !== to![name]);
    return isLeft && drafts.read(draft)?.asked === false;
  });
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (drafts.read(draft)) event.preventDefault();
    };
    addEventListener('beforeunload', onUnload);
    return () => removeEventListener('beforeunload', onUnload);
  }, [draft]);
  if (!leaving) return null;
  return (
    <Dialog label={text.leaveTitle} className="dialog" onClose={leaving.stay}>
      <h2>{text.leaveTitle}</h2>
      <p className="muted">{text.leaveText}</p>
      <div className="row wrap mt-2">
        <button
          type="button"
          className="btn btn-ghost"
          onClick={() => {
            drafts.discard(draft);
            leaving.leave();
          }}
        >
          {text.leaveDiscard}
        </button>
        <span className="grow" />
        <button type="button" className="btn" onClick={leaving.stay}>
          {text.stay}
        </button>
        <button
          type="button"
          className="btn btn-primary"
          // The dialog focuses it: this answer loses nothing.
          ref={(button) => button?.setAttribute('autofocus', '')}
          onClick={() => {
            drafts.markAsked(draft);
            leaving.leave();
          }}
        >
          {text.leaveKeep}
        </button>
      </div>
    </Dialog>
  );
}
