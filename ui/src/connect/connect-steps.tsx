import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { MintedToken, Scope } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { mintToken } from '../api/token-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { nameOfSource } from '../memory/list/source-name.ts';
import { useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { addressFor, type Client } from './clients.ts';
import { Snippet } from './snippet.tsx';
import { TOKENS } from './token-queries.ts';

const text = strings.connect;
const SCOPES = Object.keys(text.scopes) as Scope[];
const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 90;

interface ConnectStepsProps {
  client: Client;
  minted: MintedToken | undefined;
  connected: boolean;
  onMinted(minted: MintedToken | undefined): void;
}

/** The three steps: choose scopes, paste the lines, say hello. */
export function ConnectSteps({ client, minted, connected, onMinted }: ConnectStepsProps) {
  const session = useSession();
  const { right } = useSearch({ from: '/connect' });
  const [scopes, setScopes] = useState<readonly Scope[]>(() =>
    SCOPES.filter((scope) => (client.scopes.includes(scope) || scope === right) && may(session, scope)),
  );
  const name = nameOfSource(client.id);
  return (
    <ol className="steps">
      <li className={minted ? 'ok' : ''}>
        <h2>{text.stepRights}</h2>
        {minted ? (
          <MintedTokenRow minted={minted} onAgain={() => onMinted(undefined)} />
        ) : (
          <Rights client={client} scopes={scopes} onScopes={setScopes} onMinted={onMinted} />
        )}
      </li>
      <li className={connected ? 'ok' : ''}>
        <h2>{client.file === undefined ? text.stepTerminal[client.kind] : text.stepFile(client.file)}</h2>
        <Lines client={client} minted={minted} scopes={scopes} />
        <p className="hint mt-2">{minted ? text.copiedOnce : text.tokenFirst}</p>
        {text.where[client.id] !== undefined && <p className="hint">{text.where[client.id]}</p>}
      </li>
      <li className={connected ? 'ok' : ''}>
        <h2>{text.stepHello}</h2>
        <p className="muted">{text.hello[client.id] ?? text.helloAnyone(name)}</p>
      </li>
    </ol>
  );
}

interface LinesProps {
  client: Client;
  minted: MintedToken | undefined;
  scopes: readonly Scope[];
}

function Lines({ client, minted, scopes }: LinesProps) {
  const { origin } = location;
  const address = addressFor(origin, minted?.scopes ?? scopes);
  const masked = minted ? `${text.mask}${minted.token.slice(-4)}` : text.mask;
  const marks = [client.lines({ origin, address, token: '' }).includes(address) ? address : origin, masked];
  return (
    <Snippet
      key={client.id}
      label={text.linesFor(nameOfSource(client.id))}
      copyLabel={text.copy}
      shown={client.lines({ origin, address, token: masked })}
      marks={marks}
      copied={minted && client.lines({ origin, address, token: minted.token })}
    />
  );
}

interface RightsProps {
  client: Client;
  scopes: readonly Scope[];
  onScopes(scopes: readonly Scope[]): void;
  onMinted(minted: MintedToken): void;
}

function Rights({ client, scopes, onScopes, onMinted }: RightsProps) {
  const session = useSession();
  const { right } = useSearch({ from: '/connect' });
  const queryClient = useQueryClient();
  const mint = useMutation({
    mutationFn: (fields: FormData) =>
      mintToken({
        name: String(fields.get('name')).trim() || text.namePlaceholder,
        client: client.id,
        scopes: [...scopes],
        ttl_seconds: Number(fields.get('days')) * DAY_SECONDS,
      }),
    onSuccess: (minted) => {
      onMinted(minted);
      void queryClient.invalidateQueries({ queryKey: TOKENS });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mint.mutate(new FormData(event.currentTarget));
  };
  const toggle = (scope: Scope) =>
    onScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const smallest =
    scopes.length === client.scopes.length && client.scopes.every((one) => scopes.includes(one));
  return (
    <form className="stack gap-3" onSubmit={submit}>
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
      {smallest && <p className="hint">{text.smallest(nameOfSource(client.id))}</p>}
      <div className="token-form">
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
          <label htmlFor="token-days">{text.days}</label>
          <input
            id="token-days"
            name="days"
            className="input num"
            type="number"
            min="1"
            max="365"
            defaultValue={DEFAULT_DAYS}
            required
          />
        </div>
        <button type="submit" className="btn btn-primary" disabled={mint.isPending || scopes.length === 0}>
          {text.make}
        </button>
      </div>
      {mint.isError && <ProblemNote error={mint.error} />}
    </form>
  );
}

function MintedTokenRow({ minted, onAgain }: { minted: MintedToken; onAgain(): void }) {
  return (
    <div className="row wrap">
      <b>{minted.name}</b>
      {minted.scopes.map((scope) => (
        <span key={scope} className="chip">
          {scope}
        </span>
      ))}
      <span className="grow" />
      <button type="button" className="btn btn-ghost btn-s" onClick={onAgain}>
        {text.another}
      </button>
    </div>
  );
}
