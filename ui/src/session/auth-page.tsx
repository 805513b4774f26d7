import { type FormEvent, type ReactNode, useEffect } from 'react';
import { Brand } from '../shell/brand.tsx';
import { ThemeSwitch } from '../shell/theme-switch.tsx';
import { strings } from '../strings.ts';
import { Rings } from './rings.tsx';

interface AuthPageProps {
  title: string;
  lead: ReactNode;
  onSubmit(fields: FormData): void;
  children: ReactNode;
}

/** The frame of the pages that a person sees before they are signed in. */
export function AuthPage({ title, lead, onSubmit, children }: AuthPageProps) {
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
  }, [title]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <main className="auth">
      <Rings />
      <form className="auth-card" onSubmit={submit}>
        <div className="stack stack-card">
          <div className="row between">
            <span className="brand">
              <Brand />
            </span>
            <ThemeSwitch />
          </div>
          <div>
            <h1>{title}</h1>
            <p className="muted">{lead}</p>
          </div>
        </div>
        {children}
      </form>
      <p className="auth-foot">{strings.signIn.footer}</p>
    </main>
  );
}
