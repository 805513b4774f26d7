import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/call-api.ts';
import { readSignInMethods, signInWithPassword, signInWithToken } from '../api/session-api.ts';
import { Icon } from '../kit/icon.tsx';
import { SESSION } from '../shell/query-client.ts';
import { strings } from '../strings.ts';
import { AuthPage } from './auth-page.tsx';

const text = strings.signIn;
type SignInMethod = 'password' | 'token';

/** Signs in with a password, a token, or the identity provider. */
export function SignInPage({ ended }: { ended: boolean }) {
  const [method, setMethod] = useState<SignInMethod>('password');
  const queryClient = useQueryClient();
  const signIn = useMutation({
    mutationFn: (fields: FormData) => {
      const field = (name: string) => String(fields.get(name) ?? '');
      return method === 'token'
        ? signInWithToken(
            field('token')
              .trim()
              .replace(/^Bearer\s+/i, ''),
          )
        : signInWithPassword(field('username'), field('password'));
    },
    onSuccess: (session) => {
      // Cached data of the previous user must not be shown to this one.
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
      queryClient.setQueryData(SESSION, session);
    },
  });
  const choose = (next: SignInMethod) => {
    setMethod(next);
    signIn.reset();
  };
  return (
    <AuthPage title={text.title} lead={ended ? text.ended : text.lead} onSubmit={signIn.mutate}>
      <ProviderButton />
      <fieldset className="seg seg-half" aria-label={text.ways}>
        {(['password', 'token'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={method === one} onClick={() => choose(one)}>
            {text[one]}
          </button>
        ))}
      </fieldset>
      {method === 'password' ? <PasswordFields /> : <TokenField />}
      {signIn.isError && (
        <div className="note note-danger" role="alert">
          <Icon name="warn" />
          <div className="grow">{reasonOf(signIn.error)}</div>
        </div>
      )}
      <button className="btn btn-primary btn-l" type="submit" disabled={signIn.isPending}>
        {signIn.isPending ? text.busy : text.submit} <kbd>↵</kbd>
      </button>
      <p className="hint">
        {method === 'token' ? (
          text.hintToken
        ) : (
          <>
            {text.hintPassword} <code>{text.secretsFile}</code>.
          </>
        )}
      </p>
    </AuthPage>
  );
}

/** Where the identity provider said no, or the way to it. */
function ProviderButton() {
  const { data } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: readSignInMethods,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const problem = new URLSearchParams(location.search).get('sign_in');
  const path = problem === null ? location.pathname + location.search : '/';
  return (
    <>
      {problem !== null && (
        <div className="note note-danger" role="alert">
          <Icon name="warn" />
          <div className="grow">{text.problems[problem] ?? text.problems.failed}</div>
        </div>
      )}
      {data?.oidc && (
        <>
          <a className="btn btn-l" href={`${data.oidc.url}?return_to=${encodeURIComponent(path)}`}>
            <Icon name="key" />
            {text.withProvider(new URL(data.oidc.issuer).host)}
          </a>
          <p className="auth-or faint small">{text.or}</p>
        </>
      )}
    </>
  );
}

function PasswordFields() {
  return (
    <div className="stack stack-card">
      <div className="field">
        <label htmlFor="username">{text.username}</label>
        <input
          className="input"
          id="username"
          name="username"
          defaultValue="admin"
          autoComplete="username"
          required
        />
      </div>
      <div className="field">
        <label htmlFor="password">{text.password}</label>
        <input
          className="input"
          id="password"
          name="password"
          type="password"
          autoComplete="current-password"
          ref={(input) => input?.focus()}
          required
        />
      </div>
    </div>
  );
}

function TokenField() {
  return (
    <div className="field">
      <label htmlFor="token">{text.token}</label>
      <input
        className="input mono"
        id="token"
        name="token"
        type="password"
        autoComplete="off"
        ref={(input) => input?.focus()}
        required
      />
    </div>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.unreachable) return strings.errors.unreachable;
  const known: Record<string, string> = {
    login_disabled: text.loginDisabled,
    invalid_credentials: text.wrong,
    invalid_token: text.badToken,
    token_expired: text.expired,
    token_revoked: text.expired,
    rate_limited: text.locked,
  };
  return known[error.code] ?? error.message;
}
