import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { Icon } from '../../kit/icon.tsx';
import { useRoving } from '../../kit/use-roving.ts';
import { strings } from '../../strings.ts';
import type { FacetProps } from './facet.tsx';

const text = strings.memory;
/** A dialog with thousands of rows is slow; the filter finds the rest. */
const MAX_SHOWN = 300;

/** All values of one field, with a box that filters them by name. */
export function FacetDialog(props: FacetProps & { onClose(): void }) {
  const { label, counts, chosen, several, nameOf = (name) => name, onToggle, onClose } = props;
  const [typed, setTyped] = useState('');
  const { ref, onKeyDown } = useRoving<HTMLUListElement>();
  const wanted = typed.trim().toLowerCase();
  const found = counts.filter(({ name }) => nameOf(name).toLowerCase().includes(wanted));
  const choose = (name: string) => {
    onToggle(name);
    if (!several) onClose();
  };
  return (
    <Dialog label={label} className="facet-dialog" onClose={onClose}>
      <div className="row between">
        <h2>{label}</h2>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={strings.detail.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      <input
        className="input"
        aria-label={text.filterNames}
        placeholder={text.filterNames}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ul className="tree" ref={ref} onKeyDown={onKeyDown}>
        {found.slice(0, MAX_SHOWN).map(({ name, count }) => {
          const on = chosen.includes(name);
          return (
            <li key={name}>
              <button
                type="button"
                className={`tree-row ${on ? 'on' : ''}`}
                aria-pressed={on}
                disabled={count === 0 && !on}
                onClick={() => choose(name)}
              >
                <span className="name plain" dir="auto">
                  {nameOf(name)}
                </span>
                <span className="n">{count.toLocaleString('en')}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p className="small faint">{text.noNames}</p>}
    </Dialog>
  );
}
