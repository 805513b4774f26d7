import { useState } from 'react';
import { strings } from '../../strings.ts';
import type { FactEditorState } from './use-fact-editor.ts';

const text = strings.editor;
const PRESETS = [7, 30, 90, 365];

/** How long the fact is kept: a usual time, or any number of days. */
export function LifetimeField({ editor: { draft, change, problemOf } }: { editor: FactEditorState }) {
  const [isCustom, setIsCustom] = useState(!PRESETS.includes(draft.ttlDays));
  const problem = problemOf('ttlDays');
  const choose = (days: number) => {
    setIsCustom(false);
    change('ttlDays', days);
  };
  return (
    <fieldset className="field life-field">
      <legend>{text.ttl}</legend>
      <div className="row wrap">
        <div className="seg">
          {PRESETS.map((days) => (
            <button
              key={days}
              type="button"
              aria-pressed={!isCustom && draft.ttlDays === days}
              onClick={() => choose(days)}
            >
              {text.keepFor(days)}
            </button>
          ))}
          <button type="button" aria-pressed={isCustom} onClick={() => setIsCustom(true)}>
            {text.custom}
          </button>
        </div>
        {isCustom && (
          <span className="row">
            <input
              id="field-ttl"
              className={`input num ${problem === undefined ? '' : 'is-bad'}`}
              type="number"
              min="1"
              max="365"
              step="1"
              aria-label={text.days}
              aria-invalid={problem === undefined ? undefined : true}
              aria-describedby={problem === undefined ? undefined : 'field-ttl-note'}
              value={Number.isNaN(draft.ttlDays) ? '' : draft.ttlDays}
              onChange={(event) => change('ttlDays', event.target.valueAsNumber)}
            />
            <span className="muted">{text.daysUnit}</span>
          </span>
        )}
      </div>
      {problem !== undefined && (
        <span id="field-ttl-note" className="err" aria-live="polite">
          {problem}
        </span>
      )}
    </fieldset>
  );
}
