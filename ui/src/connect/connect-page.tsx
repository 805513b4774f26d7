import { useEffect, useState } from 'react';
import { UndoToast } from '../memory/forget/undo-toast.tsx';
import { useRecalls } from '../memory/home/home-queries.ts';
import { nameOfSource } from '../memory/list/source-name.ts';
import { useLiveEvents } from '../memory/use-live-events.ts';
import { useNavigate, useSearch } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { ClientCards } from './client-cards.tsx';
import { clientUse } from './client-use.ts';
import { CLIENTS, type Way, waysOf } from './clients.ts';
import { ConnectLight } from './connect-light.tsx';
import { ConnectSteps } from './connect-steps.tsx';
import type { Grant } from './grant.ts';
import { useTokens } from './token-queries.ts';
import { TokensCard } from './tokens-card.tsx';

const text = strings.connect;
/** The recall of the chosen client is looked for among so many of the newest. */
const MAX_RECALLS = 50;

/** Choose a client, make a token for it, and watch its first call arrive. */
export function ConnectPage() {
  const { caller } = useSession();
  const search = useSearch({ from: '/connect' });
  const navigate = useNavigate({ from: '/connect' });
  const client = CLIENTS.find(({ id }) => id === search.client) ?? CLIENTS[0]!;
  const ways = waysOf(client);
  const [chosenWay, setWay] = useState<Way>('line');
  const way = ways.includes(chosenWay) ? chosenWay : ways[0]!;
  // A token is shown only once, so switching to another card must not lose it.
  const [grants, setGrants] = useState<Readonly<Record<string, Grant | undefined>>>({});
  const place = `${client.id} ${way}`;
  const grant = grants[place];
  const { data, isError } = useTokens(Object.values(grants).some(Boolean));
  const tokens = data?.tokens ?? [];
  // If a token was just made, only a call with that token counts, not one by another client of the same name.
  const { lastCall, tokens: count } = grant
    ? { lastCall: tokens.find(({ jti }) => jti === grant.jti)?.last_used_at ?? undefined, tokens: 1 }
    : clientUse(client.id, tokens, caller, Date.now());
  useLiveEvents();
  const { data: asked } = useRecalls(MAX_RECALLS);
  const recall = asked?.recalls.find(({ source }) =>
    grant ? source.token_id === grant.jti : source.client === client.id,
  );
  useEffect(() => {
    document.title = `${text.title} · ${strings.product}`;
  }, []);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{text.title}</h1>
            <p>{text.lead}</p>
          </div>
        </header>
        <ClientCards
          chosen={client}
          tokens={tokens}
          onChoose={({ id }) => {
            if (id !== client.id) void navigate({ search: (before) => ({ ...before, client: id }) });
          }}
        />
        <div className="g-side">
          <section className="card" aria-label={nameOfSource(client.id)}>
            <div className="card-body steps-body">
              {ways.length > 1 && (
                <fieldset className="seg seg-half ways" aria-label={text.ways}>
                  {ways.map((each) => (
                    <button key={each} type="button" aria-pressed={each === way} onClick={() => setWay(each)}>
                      {text.way[each]}
                    </button>
                  ))}
                </fieldset>
              )}
              <ConnectSteps
                key={place}
                client={client}
                way={way}
                grant={grant}
                connected={grant !== undefined && lastCall !== undefined}
                onGranted={(next) => setGrants((before) => ({ ...before, [place]: next }))}
              />
            </div>
          </section>
          <ConnectLight
            name={nameOfSource(client.id)}
            unknown={data === undefined && isError}
            expected={grant !== undefined}
            lastCall={lastCall}
            tokens={count}
            recall={recall}
          />
        </div>
        <TokensCard />
      </div>
      <UndoToast />
    </div>
  );
}
