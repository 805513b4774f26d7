import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/call-api.ts';
import { signInWithPassword, signInWithToken } from '../api/session-api.ts';
import { Icon } from '../kit/icon.tsx';
import { Brand } from '../shell/brand.tsx';
import { SESSION } from '../shell/query-client.ts';
import { ThemeSwitch } from '../shell/theme-switch.tsx';
import { strings } from '../strings.ts';
import { Rings } from './rings.tsx';

const text = strings.signIn;
type SignInMethod = 'password' | 'token';

/** Signs in with the admin password or with a token. */
export function SignInPage({ ended }: { ended: boolean }) {
  const [method, setMethod] = useState<SignInMethod>('password');
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
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
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    signIn.mutate(new FormData(event.currentTarget));
  };
  const choose = (next: SignInMethod) => {
    setMethod(next);
    signIn.reset();
  };
  return (
    <main className="auth">
      <Rings />
      <form ref={form} className="auth-card" onSubmit={submit}>
        <div className="stack stack-card">
          <div className="row between">
            <span className="brand">
              <Brand />
            </span>
            <ThemeSwitch />
          </div>
          <div>
            <h1>{text.title}</h1>
            <p className="muted">{ended ? text.ended : text.lead}</p>
          </div>
        </div>
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
      </form>
      <p className="auth-foot">{text.footer}</p>
    </main>
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
