import type { Token } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { nameOfSource } from '../memory/list/source-name.ts';
import { shortAge } from '../memory/list/time-left.ts';
import { strings } from '../strings.ts';
import { CLIENTS, type Client } from './clients.ts';
import { lastCallOf } from './token-queries.ts';

const text = strings.connect;

interface ClientCardsProps {
  chosen: Client;
  tokens: readonly Token[];
  onChoose(client: Client): void;
}

/** One card per client, with a dot if it has called already. */
export function ClientCards({ chosen, tokens, onChoose }: ClientCardsProps) {
  const nowMs = Date.now();
  return (
    <fieldset className="clients" aria-label={text.clients}>
      {CLIENTS.map((client) => {
        const lastUsed = lastCallOf(client.id, tokens, nowMs);
        return (
          <button
            key={client.id}
            type="button"
            className="client"
            aria-pressed={client === chosen}
            onClick={() => onChoose(client)}
          >
            <span className="gl">
              <Icon name={client.icon} />
            </span>
            <span>
              <b>{nameOfSource(client.id)}</b>
              <small>{text.kinds[client.kind]}</small>
            </span>
            {lastUsed !== undefined && (
              <span className="dot dot-ok" title={text.lastCall(shortAge(lastUsed, nowMs))}>
                <span className="sr">{text.connected}</span>
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}
