import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { decideConsent, readConsent } from '../api/consent-api.ts';
import type { Consent, Scope } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { Rings } from '../session/rings.tsx';
import { useSession } from '../session/session-context.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { Brand } from '../shell/brand.tsx';
import { ConnectionBanner } from '../shell/connection-banner.tsx';
import { ThemeSwitch } from '../shell/theme-switch.tsx';
import { strings } from '../strings.ts';

const text = strings.consent;

/** Asks whether an application may have access to the memory, and sends the person back to it. */
export function ConsentPage() {
  const [query] = useState(() => location.search);
  const { data, error, refetch } = useQuery({
    queryKey: ['consent', query],
    queryFn: () => readConsent(query),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    document.title = `${text.pageTitle} · ${strings.product}`;
  }, []);
  return (
    <>
      <ConnectionBanner />
      <main className="auth auth-tall">
        <Rings />
        <div className="auth-card consent">
          <div className="row between">
            <span className="brand">
              <Brand />
            </span>
            <ThemeSwitch />
          </div>
          {error && (
            <>
              <h1>{text.unknown}</h1>
              <ProblemNote error={error} onRetry={() => void refetch()} />
              <p className="muted">{text.unknownHint}</p>
            </>
          )}
          {data && <Request consent={data} query={query} />}
          <SignedIn />
        </div>
      </main>
    </>
  );
}

function Request({ consent, query }: { consent: Consent; query: string }) {
  const { client, problem } = consent;
  const [scopes, setScopes] = useState<readonly Scope[]>(consent.scopes);
  const [spaces, setSpaces] = useState<readonly string[]>(() => consent.spaces.map(({ slug }) => slug));
  // With all of them the application is not narrowed: it may use spaces that are granted later, too.
  const narrowed = spaces.length < consent.spaces.length ? { spaces: [...spaces] } : {};
  const decide = useMutation({
    mutationFn: (decision: 'allow' | 'deny') =>
      decideConsent({
        query,
        decision,
        ...(decision === 'allow' ? { scopes: [...scopes], ...narrowed } : {}),
      }),
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const isOver = decide.isPending || decide.isSuccess;
  return (
    <>
      <div>
        <h1 className="anywhere">{text.title(client.name)}</h1>
        <p className="muted">{text.lead}</p>
      </div>
      <Facts consent={consent} />
      {problem ? (
        <div className="note note-danger" role="alert">
          <Icon name="warn" />
          <div className="grow">
            <b>{text.refused}</b>
            <div>{problem.message}</div>
            <div className="small faint">{problem.error}</div>
          </div>
        </div>
      ) : (
        <>
          <fieldset className="stack gap-3 consent-rights" disabled={isOver}>
            <legend>{text.rights}</legend>
            {consent.scopes.map((scope) => (
              <Right
                key={scope}
                label={text.scopes[scope] ?? [scope, '']}
                checked={scopes.includes(scope)}
                onToggle={() => setScopes(toggled(scopes, scope))}
              />
            ))}
          </fieldset>
          {consent.spaces.length > 0 && (
            <fieldset className="stack gap-3 consent-rights" disabled={isOver}>
              <legend>{text.spaces}</legend>
              {consent.spaces.map(({ slug, role }) => (
                <Right
                  key={slug}
                  label={[slug, text.spaceRole(strings.spaces.roles[role].toLowerCase())]}
                  checked={spaces.includes(slug)}
                  onToggle={() => setSpaces(toggled(spaces, slug))}
                />
              ))}
            </fieldset>
          )}
        </>
      )}
      {decide.isError && <ProblemNote error={decide.error} />}
      <div className="row consent-buttons">
        <button
          type="button"
          className="btn btn-l grow"
          disabled={isOver}
          onClick={() => decide.mutate('deny')}
        >
          {problem ? text.back : text.deny}
        </button>
        {!problem && (
          <button
            type="button"
            className="btn btn-primary btn-l grow"
            disabled={isOver || scopes.length === 0}
            onClick={() => decide.mutate('allow')}
          >
            {decide.isPending ? text.busy : text.allow}
          </button>
        )}
      </div>
      <p className="hint" role="status">
        {decide.isSuccess ? text.sent : problem ? '' : text.until}
      </p>
    </>
  );
}

/** Who asks, where they are, and whose memory it is about. */
function Facts({ consent: { client, redirect_host: host, memory, resource } }: { consent: Consent }) {
  const target = host === 'localhost' ? text.thisComputer : host.endsWith(':') ? text.opener(host) : host;
  return (
    <dl className="consent-facts">
      <Fact name={text.vouchedBy} value={client.host ?? text.nobody} />
      <Fact name={text.sendsTo} value={target} />
      <Fact name={text.memory} value={memory} />
      <Fact name={text.address} value={resource} mono />
    </dl>
  );
}

function Fact({ name, value, mono }: { name: string; value: string; mono?: boolean }) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd className="anywhere">
        <b className={mono ? 'mono' : ''} dir="auto">
          {value}
        </b>
      </dd>
    </div>
  );
}

const toggled = <T,>(chosen: readonly T[], one: T): T[] =>
  chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one];

interface RightProps {
  /** The name, and what it means. */
  label: readonly [string, string];
  checked: boolean;
  onToggle(): void;
}

function Right({ label: [name, about], checked, onToggle }: RightProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={onToggle} />
      <span>
        <b>{name}</b> <span className="muted">{about}</span>
      </span>
    </label>
  );
}

function SignedIn() {
  const { subject } = useSession();
  const signOut = useSignOut();
  return (
    <p className="hint row wrap">
      <span className="anywhere">{text.signedInAs(subject)}</span>
      <button type="button" className="btn btn-ghost btn-s" onClick={() => void signOut()}>
        {text.other}
      </button>
    </p>
  );
}
