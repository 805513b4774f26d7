import { strings } from '../strings.ts';

const text = strings.account;
const MIN_PASSWORD_CHARS = 12;

/** A new password, twice. */
export function NewPasswordFields() {
  const field = (id: string, label: string, hint?: string) => (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        id={id}
        name={id}
        type="password"
        minLength={MIN_PASSWORD_CHARS}
        autoComplete="new-password"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        required
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
  return (
    <>
      {field('new-password', text.next, text.rule)}
      {field('new-password-again', text.repeat)}
    </>
  );
}
