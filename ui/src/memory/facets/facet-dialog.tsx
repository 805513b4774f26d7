import { useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import type { FacetProps } from './facet.tsx';
import { FacetOptions } from './facet-options.tsx';

const text = strings.memory;
/** A dialog with thousands of rows is slow; the filter finds the rest. */
const MAX_SHOWN = 300;

/** All values of one field, with a box that filters them by name. */
export function FacetDialog(props: FacetProps & { onClose(): void }) {
  const { label, counts, several, nameOf = (name) => name, onToggle, onClose } = props;
  const [typed, setTyped] = useState('');
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
      <FacetOptions {...props} counts={found.slice(0, MAX_SHOWN)} onToggle={choose} />
      {found.length === 0 && <p className="small faint">{text.noNames}</p>}
    </Dialog>
  );
}
