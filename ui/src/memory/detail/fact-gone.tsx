import { ApiError } from '../../api/call-api.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { strings } from '../../strings.ts';

const text = strings.detail;

interface FactGoneProps {
  error: unknown;
  /** It was shown before, so it was there. */
  wasThere: boolean;
  onRetry(): void;
  onSearch(): void;
  /** Undefined if the token may not store. */
  onWrite: (() => void) | undefined;
}

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** In place of a fact that is not there, or could not be loaded. */
export function FactGone({ error, wasThere, onRetry, onSearch, onWrite }: FactGoneProps) {
  if (!isGone(error)) return <ProblemNote error={error} title={text.failed} onRetry={onRetry} />;
  return (
    <div className="note" role="status">
      <div className="grow stack gap-2">
        <b>{wasThere ? text.gone : text.notThere}</b>
        <div>{wasThere ? text.goneText : text.notThereText}</div>
        <div className="row wrap">
          <button type="button" className="btn btn-s" onClick={onSearch}>
            {text.goneSearch}
          </button>
          {onWrite && (
            <button type="button" className="btn btn-s" onClick={onWrite}>
              {text.goneWrite}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
