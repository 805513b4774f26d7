import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/call-api.ts';
import { changePassword } from '../api/session-api.ts';
import { Dialog } from '../kit/dialog.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';
import { NewPasswordFields } from './new-password-fields.tsx';
import { useSession } from './session-context.ts';

const text = strings.account;

export function PasswordDialog({ onClose }: { onClose(): void }) {
  const { subject } = useSession();
  const [differ, setDiffer] = useState(false);
  const change = useMutation({
    mutationFn: (fields: FormData) =>
      changePassword(String(fields.get('current-password')), String(fields.get('new-password'))),
    onSuccess: ({ sessions_ended }) => announce(text.done(sessions_ended)),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const isSame = fields.get('new-password') === fields.get('new-password-again');
    setDiffer(!isSame);
    if (isSame) change.mutate(fields);
  };
  const isWrong = change.error instanceof ApiError && change.error.code === 'invalid_credentials';
  return (
    <Dialog label={text.title} className="dialog" onClose={onClose}>
      <h2>{text.title}</h2>
      {change.data ? (
        <p>{text.done(change.data.sessions_ended)}</p>
      ) : (
        <form id="password-form" className="stack gap-3" onSubmit={submit}>
          <p className="muted">{text.lead}</p>
          {/* For password managers, which otherwise do not know whose password this is. */}
          <input
            className="sr"
            name="username"
            autoComplete="username"
            value={subject}
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <div className="field">
            <label htmlFor="current-password">{text.current}</label>
            <input
              className="input"
              id="current-password"
              name="current-password"
              type="password"
              autoComplete="current-password"
              required
            />
          </div>
          <NewPasswordFields />
          {differ && (
            <p className="note note-danger" role="alert">
              {text.differ}
            </p>
          )}
          {change.isError &&
            (isWrong ? (
              <p className="note note-danger" role="alert">
                {text.wrong}
              </p>
            ) : (
              <ProblemNote error={change.error} />
            ))}
        </form>
      )}
      <div className="row mt-2">
        <span className="grow" />
        <button type="button" className="btn" onClick={onClose}>
          {change.data ? strings.keyboard.close : text.cancel}
        </button>
        {!change.data && (
          <button type="submit" form="password-form" className="btn btn-primary" disabled={change.isPending}>
            {text.save}
          </button>
        )}
      </div>
    </Dialog>
  );
}
