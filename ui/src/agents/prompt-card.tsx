import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { listFacts } from '../api/fact-api.ts';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { strings } from '../strings.ts';

const text = strings.agents;
/** As many as `memory_recall` returns unless asked for more. */
const MAX_RESULTS = 10;

/** What an agent would be given for a question: only facts that recall is confident of. */
export function PromptCard({ onOpen }: { onOpen(key: string): void }) {
  const caller = useCaller();
  const id = useId();
  const [prompt, setPrompt] = useState('');
  const q = useDeferredValue(prompt.trim());
  const { data } = useQuery({
    queryKey: [MEMORY, 'prompt', caller, q],
    queryFn: ({ signal }) => listFacts({ q, limit: MAX_RESULTS }, { caller, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const facts = q === '' ? undefined : data?.facts;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.prompt}</h2>
      </div>
      <div className="card-body stack">
        <label className="small muted" htmlFor={id}>
          {text.promptLabel}
        </label>
        <input
          id={id}
          className="input"
          value={prompt}
          placeholder={text.promptExample}
          onChange={(event) => setPrompt(event.target.value)}
        />
        {facts?.length === 0 && <p className="small muted">{text.nothing}</p>}
        <ol className="home-rows">
          {facts?.map(({ key, value }) => (
            <li key={key}>
              <button type="button" className="home-row" onClick={() => onOpen(key)}>
                <span className="mono cut">{key}</span>
                <span className="small muted cut home-value" dir="auto">
                  {value.slice(0, 200)}
                </span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
