import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { may } from '../api/session-api.ts';
import { mintToken } from '../api/token-api.ts';
import { ProblemNote } from '../frame/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { MintedToken } from './minted-token.tsx';
import { TOKENS } from './token-queries.ts';

const text = strings.connect;
const CLIENTS = ['claude-code', 'claude-desktop', 'gemini-cli', 'openclaw', 'cli', 'rest'];
const SCOPES = Object.keys(text.scopes);
const SMALLEST = ['memory:read', 'memory:write'];
const DAY_SECONDS = 86_400;

/** A token of its own for each program, with the fewest rights. */
export function MintCard() {
  const session = useSession();
  const queryClient = useQueryClient();
  const [scopes, setScopes] = useState<readonly string[]>(SMALLEST);
  const mint = useMutation({
    mutationFn: (fields: FormData) =>
      mintToken({
        name: String(fields.get('name')).trim() || text.namePlaceholder,
        client: String(fields.get('client')),
        scopes: [...scopes],
        ttl_seconds: Number(fields.get('days')) * DAY_SECONDS,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: TOKENS }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mint.mutate(new FormData(event.currentTarget));
  };
  const toggle = (scope: string) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.mint}</h2>
      </div>
      <div className="card-body">
        {mint.data ? (
          <MintedToken minted={mint.data} onAgain={mint.reset} />
        ) : (
          <form className="stack gap-4" onSubmit={submit}>
            <div className="g3">
              <div className="field">
                <label htmlFor="token-name">{text.name}</label>
                <input
                  id="token-name"
                  name="name"
                  className="input"
                  maxLength={128}
                  placeholder={text.namePlaceholder}
                  autoComplete="off"
                />
              </div>
              <div className="field">
                <label htmlFor="token-client">{text.client}</label>
                <select id="token-client" name="client" className="select">
                  {CLIENTS.map((client) => (
                    <option key={client} value={client}>
                      {strings.sources[client]}
                    </option>
                  ))}
                </select>
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
                  defaultValue="90"
                  required
                />
              </div>
            </div>
            <fieldset className="field scopes">
              <legend className="label">{text.rights}</legend>
              <div className="row wrap">
                {SCOPES.filter((scope) => may(session, scope)).map((scope) => (
                  <label key={scope} className={`check ${scopes.includes(scope) ? 'on' : ''}`}>
                    <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
                    {text.scopes[scope]}
                  </label>
                ))}
              </div>
            </fieldset>
            {mint.isError && <ProblemNote error={mint.error} />}
            <div>
              <button
                type="submit"
                className="btn btn-primary"
                disabled={mint.isPending || scopes.length === 0}
              >
                {text.make}
              </button>
            </div>
          </form>
        )}
      </div>
    </section>
  );
}
