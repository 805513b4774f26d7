import { shortAge } from '../memory/list/time-left.ts';
import { strings } from '../strings.ts';
import { Icon } from './icon.tsx';

const text = strings.drafts;

interface DraftNoteProps {
  atMs: number;
  onDiscard(): void;
  /** Opens the form; undefined in the form itself. */
  onContinue?(): void;
}

/** Says that there is unsaved text, and from when. */
export function DraftNote({ atMs, onDiscard, onContinue }: DraftNoteProps) {
  const nowMs = Date.now();
  const age = nowMs - atMs < 60_000 ? text.moment : shortAge(new Date(atMs).toISOString(), nowMs);
  return (
    <div className="note note-warn draft-note" role="status">
      <Icon name="edit" />
      <span className="grow">{text.unsaved(age)}</span>
      {onContinue && (
        <button type="button" className="link" onClick={onContinue}>
          {text.continue}
        </button>
      )}
      <button type="button" className="link" onClick={onDiscard}>
        {text.discard}
      </button>
    </div>
  );
}
