import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { listFacts } from '../api/fact-api.ts';
import { readPromptNotes } from '../api/review-api.ts';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { strings } from '../strings.ts';

const text = strings.agents;
/** As many as `memory_recall` returns unless asked for more. */
const MAX_RESULTS = 10;

/** What an agent is told before a prompt, to the letter, and which facts it would be given if it asked that. */
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
        {q !== '' && caller === undefined && <PromptNotes prompt={q} />}
        {facts && <h3 className="home-head">{text.ifAsked}</h3>}
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

/** Only for the own memory: an admin cannot ask for the notes of another caller. */
function PromptNotes({ prompt }: { prompt: string }) {
  const { data } = useQuery({
    queryKey: [MEMORY, 'prompt-notes', prompt],
    queryFn: ({ signal }) => readPromptNotes(prompt, { signal }),
    placeholderData: keepPreviousData,
  });
  if (!data) return null;
  return (
    <>
      <h3 className="home-head">{text.toldBefore}</h3>
      {data.text === '' ? (
        <p className="small muted">{data.skipped === 'trivial' ? text.toldTrivial : text.toldNothing}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
        <pre className="code wraps agents-notes" dir="auto" tabIndex={0}>
          {data.text}
        </pre>
      )}
    </>
  );
}
