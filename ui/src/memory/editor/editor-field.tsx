import type { ReactNode } from 'react';

interface FieldAttributes {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

interface EditorFieldProps {
  id: string;
  label: string;
  required?: boolean;
  hint?: string;
  /** Shown at the end of the label's line. */
  end?: ReactNode;
  problem: string | undefined;
  children(attributes: FieldAttributes): ReactNode;
}

/** A label, a field, and below it either its problem or its hint. */
export function EditorField({ id, label, required, hint, end, problem, children }: EditorFieldProps) {
  const fieldId = `field-${id}`;
  const noteId = `${fieldId}-note`;
  const note = problem ?? hint;
  return (
    <div className="field">
      <label htmlFor={fieldId}>
        <span>
          {label}
          {required && (
            <span className="req" aria-hidden="true">
              {' *'}
            </span>
          )}
        </span>
        {end}
      </label>
      {children({
        id: fieldId,
        'aria-invalid': problem === undefined ? undefined : true,
        'aria-describedby': note === undefined ? undefined : noteId,
      })}
      {note !== undefined && (
        <span id={noteId} className={problem === undefined ? 'hint' : 'err'} aria-live="polite">
          {note}
        </span>
      )}
    </div>
  );
}
