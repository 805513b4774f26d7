import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { acceptInvitation, readInvitation } from '../api/session-api.ts';
import { minuteOf } from '../kit/dates.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { AuthPage } from './auth-page.tsx';
import { NewPasswordFields } from './new-password-fields.tsx';

const text = strings.invitation;

/** The page of an invitation link: sets the password and signs in. The secret is in the fragment, which no server sees. */
export function InvitationPage() {
  const [invitation] = useState(() => location.hash.slice(1));
  const [differ, setDiffer] = useState(false);
  const person = useQuery({
    queryKey: ['invitation'],
    queryFn: () => readInvitation(invitation),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const accept = useMutation({
    mutationFn: (password: string) => acceptInvitation(invitation, password),
    // A new document: nothing of this one, nor the link in the history, is left.
    onSuccess: () => location.replace('/'),
  });
  const submit = (fields: FormData) => {
    const isSame = fields.get('new-password') === fields.get('new-password-again');
    setDiffer(!isSame);
    if (isSame) accept.mutate(String(fields.get('new-password')));
  };
  const { data, error } = person;
  const lead = data ? text.lead(data.name) : error ? text.unusable : text.reading;
  return (
    <AuthPage
      title={data?.display_name ? `${text.title}, ${data.display_name}` : text.title}
      lead={lead}
      onSubmit={submit}
    >
      {error && (
        <>
          <ProblemNote error={error} onRetry={() => void person.refetch()} />
          <a className="btn btn-l" href="/">
            {text.toSignIn}
          </a>
        </>
      )}
      {data && (
        <>
          <input
            className="sr"
            name="username"
            autoComplete="username"
            value={data.name}
            readOnly
            tabIndex={-1}
            aria-hidden="true"
          />
          <div className="stack stack-card">
            <NewPasswordFields />
          </div>
          {differ && (
            <p className="note note-danger" role="alert">
              {strings.account.differ}
            </p>
          )}
          {accept.isError && <ProblemNote error={accept.error} />}
          <button
            className="btn btn-primary btn-l"
            type="submit"
            disabled={accept.isPending || accept.isSuccess}
          >
            {accept.isPending ? text.busy : text.submit}
          </button>
          <p className="hint">{text.expires(minuteOf(data.expires_at))}</p>
        </>
      )}
    </AuthPage>
  );
}
