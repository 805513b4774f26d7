import { type FocusEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useFormState } from './form-context.ts';
import type { Schema } from './schema.ts';

const text = strings.packForm;

interface ReferencePickerProps {
  name: string;
  schema: Schema;
  onPick(template: string): void;
}

/** A list of what a field can be filled with when the pipeline runs; only in the form of a pipeline's step. */
export function ReferencePicker({ name, schema, onPick }: ReferencePickerProps) {
  const { references, addInput } = useFormState();
  const [shown, setShown] = useState(false);
  const listId = useId();
  const place = useRef<HTMLDivElement>(null);
  if (!references) return null;
  const close = () => {
    setShown(false);
    place.current?.querySelector('button')?.focus();
  };
  const pick = (template: string) => {
    close();
    onPick(template);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!shown) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      moveFocus(place.current!, event.key === 'ArrowDown' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (!place.current?.contains(relatedTarget)) setShown(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and focus of the buttons in it
    <div ref={place} className="ref-place" onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        type="button"
        className="link small"
        aria-expanded={shown}
        aria-controls={shown ? listId : undefined}
        aria-label={text.pickFor(name)}
        onClick={() => setShown(!shown)}
      >
        <Icon name="bolt" small />
        {text.use}
      </button>
      {shown && (
        <div id={listId} className="ref-list">
          {references.map(({ label, items }) => (
            <fieldset key={label}>
              <legend>{label}</legend>
              {items.map((item) => (
                <button
                  key={item.template}
                  type="button"
                  className="ref-item mono"
                  title={item.template}
                  onClick={() => pick(item.template)}
                >
                  {item.label}
                </button>
              ))}
            </fieldset>
          ))}
          {addInput && (
            <button type="button" className="ref-item" onClick={() => pick(addInput(name, schema))}>
              {text.newInput(name)}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function moveFocus(place: HTMLElement, step: 1 | -1): void {
  const items = [...place.querySelectorAll<HTMLElement>('.ref-item')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items.at((at + step) % items.length)?.focus();
}
