import { useState } from 'react';
import type { Scope } from '../api/generated/rest.ts';
import { may } from '../api/session-api.ts';
import { minuteOf } from '../kit/dates.ts';
import { nameOfSource } from '../memory/list/source-name.ts';
import { useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { addressFor, type Client, connectLine, type Way } from './clients.ts';
import type { Grant } from './grant.ts';
import { RightsForm, SCOPES } from './rights-form.tsx';
import { Snippet } from './snippet.tsx';

const text = strings.connect;

interface ConnectStepsProps {
  client: Client;
  way: Way;
  grant: Grant | undefined;
  connected: boolean;
  onGranted(grant: Grant | undefined): void;
}

/** The three steps: choose scopes, paste the lines, say hello. */
export function ConnectSteps({ client, way, grant, connected, onGranted }: ConnectStepsProps) {
  const session = useSession();
  const { right } = useSearch({ from: '/connect' });
  const [scopes, setScopes] = useState<readonly Scope[]>(() =>
    SCOPES.filter((scope) => (client.scopes.includes(scope) || scope === right) && may(session, scope)),
  );
  const granted = grant?.scopes ?? scopes;
  return (
    <ol className="steps">
      <li className={grant ? 'ok' : ''}>
        <h2>{text.stepRights}</h2>
        {grant ? (
          <GrantRow grant={grant} onAgain={() => onGranted(undefined)} />
        ) : (
          <RightsForm client={client} way={way} scopes={scopes} onScopes={setScopes} onGranted={onGranted} />
        )}
      </li>
      <li className={connected ? 'ok' : ''}>
        {way === 'line' ? (
          <LineStep client={client} code={grant && 'code' in grant ? grant : undefined} scopes={granted} />
        ) : (
          <HandStep
            client={client}
            token={grant && 'token' in grant ? grant.token : undefined}
            scopes={granted}
          />
        )}
      </li>
      <li className={connected ? 'ok' : ''}>
        <h2>{text.stepHello}</h2>
        <p className="muted">{text.hello[client.id] ?? text.helloAnyone(nameOfSource(client.id))}</p>
      </li>
    </ol>
  );
}

interface LineStepProps {
  client: Client;
  code: { code: string; expires_at: string } | undefined;
  scopes: readonly string[];
}

function LineStep({ client, code, scopes }: LineStepProps) {
  const [isCapturing, setCapturing] = useState(false);
  const lineWith = (shown: string) =>
    connectLine(client, { origin: location.origin, scopes, code: shown, isCapturing });
  const shown = code?.code ?? text.codeMask;
  return (
    <>
      <h2>{text.stepTerminal.terminal}</h2>
      {client.captures && (
        <label className="check">
          <input
            type="checkbox"
            checked={isCapturing}
            onChange={({ target }) => setCapturing(target.checked)}
          />
          <span>{text.capture}</span>
        </label>
      )}
      <Snippet
        label={text.linesFor(nameOfSource(client.id))}
        copyLabel={text.copy}
        shown={lineWith(shown)}
        marks={[shown]}
        copied={code && lineWith(code.code)}
      />
      <p className="hint mt-2">{code ? text.codeOnce(minuteOf(code.expires_at)) : text.codeFirst}</p>
      <p className="hint">
        {text.lineDoes} {text.recallDoes[client.recall ?? 'nothing']}
      </p>
    </>
  );
}

interface HandStepProps {
  client: Client;
  token: string | undefined;
  scopes: readonly string[];
}

function HandStep({ client, token, scopes }: HandStepProps) {
  const { origin } = location;
  const address = addressFor(origin, scopes);
  const masked = token === undefined ? text.mask : `${text.mask}${token.slice(-4)}`;
  const marks = [client.lines({ origin, address, token: '' }).includes(address) ? address : origin, masked];
  return (
    <>
      <h2>{client.file === undefined ? text.stepTerminal[client.kind] : text.stepFile(client.file)}</h2>
      <Snippet
        label={text.linesFor(nameOfSource(client.id))}
        copyLabel={text.copy}
        shown={client.lines({ origin, address, token: masked })}
        marks={marks}
        copied={token === undefined ? undefined : client.lines({ origin, address, token })}
      />
      {token !== undefined && client.installLink && (
        <p className="mt-2">
          <a className="btn btn-s" href={client.installLink({ origin, address, token })}>
            {text.openIn(nameOfSource(client.id))}
          </a>
        </p>
      )}
      <p className="hint mt-2">{token === undefined ? text.tokenFirst : text.copiedOnce}</p>
      {text.where[client.id] !== undefined && <p className="hint">{text.where[client.id]}</p>}
    </>
  );
}

function GrantRow({ grant, onAgain }: { grant: Grant; onAgain(): void }) {
  const session = useSession();
  return (
    <div className="row wrap">
      <b>{grant.name}</b>
      {grant.subject !== session.subject && (
        <span className="chip chip-warn cut">{text.forSubject(grant.subject)}</span>
      )}
      {grant.scopes.map((scope) => (
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
