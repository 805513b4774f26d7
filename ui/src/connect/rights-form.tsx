import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Scope } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { makeConnectCode, mintToken } from '../api/token-api.ts';
import { drafts } from '../kit/drafts.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { nameOfSource } from '../memory/list/source-name.ts';
import { useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import type { Client, Way } from './clients.ts';
import type { Grant } from './grant.ts';
import { TOKENS } from './token-queries.ts';

const text = strings.connect;
export const SCOPES = Object.keys(text.scopes) as Scope[];
const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 90;

interface RightsFormProps {
  client: Client;
  way: Way;
  scopes: readonly Scope[];
  onScopes(scopes: readonly Scope[]): void;
  onGranted(grant: Grant): void;
}

/** What the client may do, and for how long. */
export function RightsForm({ client, way, scopes, onScopes, onGranted }: RightsFormProps) {
  const session = useSession();
  const { right } = useSearch({ from: '/connect' });
  const queryClient = useQueryClient();
  const draft = `connect ${client.id} ${way}`;
  const [typed] = useState(() => drafts.read<Record<string, string>>(draft)?.value ?? {});
  const grant = useMutation({
    mutationFn: async (fields: FormData): Promise<Grant> => {
      const other = String(fields.get('subject') ?? '').trim();
      const granted = await (way === 'line' ? makeConnectCode : mintToken)({
        name: String(fields.get('name')).trim() || text.namePlaceholder,
        client: client.id,
        scopes: [...scopes],
        ttl_seconds: Number(fields.get('days')) * DAY_SECONDS,
        ...(other === '' ? {} : { subject: other }),
        ...(fields.has('propose') ? { write: 'propose' as const } : {}),
      });
      return { ...granted, subject: other || session.subject };
    },
    onSuccess: (granted) => {
      drafts.discard(draft);
      onGranted(granted);
      void queryClient.invalidateQueries({ queryKey: TOKENS });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    grant.mutate(new FormData(event.currentTarget));
  };
  const keep = ({ currentTarget, target }: FormEvent<HTMLFormElement>) => {
    const isText = (target as HTMLInputElement).type !== 'checkbox';
    if (isText) drafts.save(draft, Object.fromEntries(new FormData(currentTarget)));
  };
  const toggle = (scope: Scope) =>
    onScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const smallest =
    scopes.length === client.scopes.length && client.scopes.every((one) => scopes.includes(one));
  return (
    <form className="stack gap-3" onSubmit={submit} onInput={keep}>
      <fieldset className="scopes" aria-label={text.rights}>
        {SCOPES.filter((scope) => may(session, scope)).map((scope) => (
          <label key={scope} className={`check ${scopes.includes(scope) ? 'on' : ''}`}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span className="cut">{text.scopes[scope]}</span>
          </label>
        ))}
      </fieldset>
      {right !== undefined && !may(session, right as Scope) && (
        <p className="note note-warn">{text.rightMissing(right)}</p>
      )}
      {scopes.includes('memory:write') && (
        <label className="check">
          <input type="checkbox" name="propose" />
          <span>{text.propose}</span>
        </label>
      )}
      {smallest && <p className="hint">{text.smallest(nameOfSource(client.id))}</p>}
      {may(session, 'admin') && session.expires_at !== null && (
        <details className="for-other" open={Boolean(typed.subject)}>
          <summary className="small muted">{text.forOther}</summary>
          <div className="field">
            <label htmlFor="token-subject">{text.forWhom}</label>
            <input
              id="token-subject"
              name="subject"
              className="input"
              placeholder={session.subject}
              defaultValue={typed.subject}
              autoComplete="off"
              spellCheck={false}
              aria-describedby="token-subject-hint"
            />
            <span id="token-subject-hint" className="hint">
              {text.forWhomHint}
            </span>
          </div>
        </details>
      )}
      <div className="token-form">
        <div className="field">
          <label htmlFor="token-name">{text.name}</label>
          <input
            id="token-name"
            name="name"
            className="input"
            maxLength={128}
            defaultValue={typed.name}
            placeholder={text.namePlaceholder}
            autoComplete="off"
          />
        </div>
        <div className="field">
          <label htmlFor="token-days">{text.days}</label>
          <input
            id="token-days"
            name="days"
            className="input num"
            type="number"
            min="1"
            max="365"
            defaultValue={typed.days ?? DEFAULT_DAYS}
            required
          />
        </div>
        <button type="submit" className="btn btn-primary" disabled={grant.isPending || scopes.length === 0}>
          {way === 'line' ? text.makeCode : text.make}
        </button>
      </div>
      {grant.isError && <ProblemNote error={grant.error} />}
    </form>
  );
}
