import { useEffect, useState } from 'react';
import { strings } from '../../strings.ts';
import type { PipelineDraft } from './use-pipeline-draft.ts';

const text = strings.pipelines;
const PAUSE_MS = 250;

/** The definition as JSON; the form shows the same. */
export function JsonTab({ draft, tried }: { draft: PipelineDraft; tried: boolean }) {
  const settled = useDebounced(draft.json) === draft.json;
  const problems = settled || tried ? [...draft.problems] : [];
  const bad = problems.length > 0;
  return (
    <div className="field">
      <label htmlFor="pipeline-json">{text.definition}</label>
      <textarea
        id="pipeline-json"
        className={`area mono json-area build-json ${bad ? 'is-bad' : ''}`}
        aria-invalid={bad || undefined}
        aria-describedby="pipeline-problems"
        spellCheck={false}
        value={draft.json}
        onChange={(event) => draft.setJson(event.target.value)}
      />
      <ul id="pipeline-problems" className="err" aria-live="polite">
        {problems.map(([place, problem]) => (
          <li key={place}>{place === '' ? problem : `${place.slice(1)}: ${problem}`}</li>
        ))}
      </ul>
      <p className="hint">{text.templateHint}</p>
    </div>
  );
}

/** The value, debounced. */
function useDebounced(value: string): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}
