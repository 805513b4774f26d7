import type { ReactNode } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';

/** The filters on a phone; on a larger screen they are in the rail. */
export function FilterSheet({ children, onClose }: { children: ReactNode; onClose(): void }) {
  return (
    <Dialog label={strings.memory.filters} className="sheet" onClose={onClose}>
      <div className="row between">
        <h2>{strings.memory.filters}</h2>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={strings.memory.closeFilters}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      {children}
    </Dialog>
  );
}
