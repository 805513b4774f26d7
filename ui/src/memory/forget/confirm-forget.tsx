import type { Whose } from '../../api/fact-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { strings } from '../../strings.ts';

interface ConfirmForgetProps {
  count: number;
  /** Whose facts, if not the user's own. */
  whose: Whose;
  onYes(): void;
  onNo(): void;
}

/** Asks before several facts are forgotten; a single one can be undone instead. */
export function ConfirmForget({ count, whose, onYes, onNo }: ConfirmForgetProps) {
  const text = strings.confirmForget;
  const other = whose.space ?? whose.caller;
  return (
    <Dialog label={text.title(count, other)} className="dialog" onClose={onNo}>
      <h2>{text.title(count, other)}</h2>
      <p className="muted">{text.text}</p>
      <div className="row mt-2">
        <span className="grow" />
        <button type="button" className="btn" onClick={onNo}>
          {text.no}
        </button>
        <button type="button" className="btn btn-danger-solid" onClick={onYes}>
          {text.yes(count, other)}
        </button>
      </div>
    </Dialog>
  );
}
