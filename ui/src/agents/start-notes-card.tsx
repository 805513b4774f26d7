import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { readStartNotes } from '../api/review-api.ts';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { strings } from '../strings.ts';

const text = strings.agents;

/** The text that a conversation begins with, exactly as the hooks print it. */
export function StartNotesCard() {
  const caller = useCaller();
  const id = useId();
  const [folder, setFolder] = useState('');
  const wanted = useDeferredValue(folder.trim());
  const { data, isError } = useQuery({
    queryKey: [MEMORY, 'start-notes', caller, wanted],
    queryFn: ({ signal }) => readStartNotes(wanted, { caller, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.notes}</h2>
        {data && <span className="small faint">{text.size(data.keys.length, data.text.length)}</span>}
      </div>
      <div className="card-body stack">
        <label className="small muted" htmlFor={id}>
          {text.folder}
        </label>
        <input
          id={id}
          className="input"
          value={folder}
          placeholder={text.folderExample}
          onChange={(event) => setFolder(event.target.value)}
        />
        {isError && <p className="small muted">{text.failed}</p>}
        {data && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
          <pre className="code wraps agents-notes" dir="auto" tabIndex={0}>
            {data.text}
          </pre>
        )}
        <p className="small faint">{text.notesHint}</p>
      </div>
    </section>
  );
}
