import type { Token } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { nameOfSource } from '../memory/list/source-name.ts';
import { shortAge } from '../memory/list/time-left.ts';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { clientUse } from './client-use.ts';
import { CLIENTS, type Client } from './clients.ts';

const text = strings.connect;

interface ClientCardsProps {
  chosen: Client;
  tokens: readonly Token[];
  onChoose(client: Client): void;
}

/** The clients, with the tokens they have and their last call: cards, or on a phone a select. */
export function ClientCards({ chosen, tokens, onChoose }: ClientCardsProps) {
  const { caller } = useSession();
  const nowMs = Date.now();
  const entries = CLIENTS.map((client) => {
    const use = clientUse(client.id, tokens, caller, nowMs);
    const age = use.lastCall === undefined ? undefined : shortAge(use.lastCall, nowMs);
    return { client, name: nameOfSource(client.id), tokens: use.tokens, age };
  });
  return (
    <>
      <fieldset className="clients no-phone" aria-label={text.clients}>
        {entries.map(({ client, name, tokens: count, age }) => (
          <button
            key={client.id}
            type="button"
            className="client"
            aria-pressed={client === chosen}
            title={count > 0 ? text.used(count, age) : undefined}
            onClick={() => onChoose(client)}
          >
            <span className="gl">
              <Icon name={client.icon} />
            </span>
            <span className="cut">
              <b>{name}</b>
              <small>{count > 0 ? text.usedShort(count, age) : text.kinds[client.kind]}</small>
            </span>
            {age !== undefined && (
              <span className="dot dot-ok">
                <span className="sr">{text.connected}</span>
              </span>
            )}
          </button>
        ))}
      </fieldset>
      <div className="field only-phone client-choice">
        <label htmlFor="client">{text.clientChoice}</label>
        <select
          id="client"
          className="select"
          value={chosen.id}
          onChange={(event) => onChoose(CLIENTS.find(({ id }) => id === event.target.value)!)}
        >
          {entries.map(({ client, name, tokens: count, age }) => (
            <option key={client.id} value={client.id}>
              {count > 0 ? `${name} (${text.used(count, age)})` : name}
            </option>
          ))}
        </select>
      </div>
    </>
  );
}
