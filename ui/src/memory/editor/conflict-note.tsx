import { strings } from '../../strings.ts';
import { DiffView } from '../detail/diff-view.tsx';
import type { Conflict } from './use-saving.ts';

const text = strings.editor;

interface ConflictNoteProps {
  conflict: Conflict;
  mine: string;
  onDiscard(): void;
}

/** The stored version beside the draft, with the choice between them. */
export function ConflictNote({ conflict, mine, onDiscard }: ConflictNoteProps) {
  if (!conflict.theirs) {
    return (
      <section className="note note-warn" role="alert">
        <div className="grow stack gap-2">
          <b>{text.goneTitle}</b>
          <span>{text.goneText}</span>
          <div className="row wrap">
            <button type="button" className="btn btn-s" onClick={conflict.overwrite}>
              {text.storeAgain}
            </button>
            <button type="button" className="btn btn-s" onClick={onDiscard}>
              {strings.drafts.discard}
            </button>
          </div>
        </div>
      </section>
    );
  }
  return (
    <section className="note note-warn" role="alert">
      <div className="grow stack gap-2">
        <b>{text.conflictTitle}</b>
        <span>{text.conflictText}</span>
        <DiffView before={conflict.theirs.value} after={mine} />
        <div className="row wrap">
          <button type="button" className="btn btn-s" onClick={conflict.overwrite}>
            {text.keepMine}
          </button>
          <button type="button" className="btn btn-s" onClick={onDiscard}>
            {text.keepTheirs}
          </button>
          <button type="button" className="btn btn-ghost btn-s" onClick={conflict.keepEditing}>
            {text.keepEditing}
          </button>
        </div>
      </div>
    </section>
  );
}
