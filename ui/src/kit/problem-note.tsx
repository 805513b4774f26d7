import { ApiError } from '../api/call-api.ts';
import { strings } from '../strings.ts';
import { Icon } from './icon.tsx';

interface ProblemNoteProps {
  error: unknown;
  /** What failed, as a heading. */
  title?: string;
  onRetry?(): void;
}

/** An error: what happened, what to do, and last the code. */
export function ProblemNote({ error, title, onRetry }: ProblemNoteProps) {
  const { message, hint, code } = wordsOf(error);
  return (
    <div className="note note-danger" role="alert">
      <Icon name="warn" />
      <div className="grow">
        <b>{title ?? message ?? strings.errors.unreachable}</b>
        {title !== undefined && message !== undefined && <div>{message}</div>}
        {hint !== undefined && <div>{hint}</div>}
        {code !== undefined && <div className="small faint">{code}</div>}
      </div>
      {onRetry && (
        <button type="button" className="btn btn-s" onClick={onRetry}>
          {strings.errors.tryAgain}
        </button>
      )}
    </div>
  );
}

function wordsOf(error: unknown): { message?: string; hint?: string; code?: string } {
  if (!(error instanceof ApiError)) return { message: strings.errors.unexpected };
  // The banner already says that the server is away.
  if (error.unreachable) return {};
  return {
    message: error.message || strings.errors.unexpected,
    hint: error.hint,
    code: strings.errors.code(error.code, error.requestId),
  };
}
