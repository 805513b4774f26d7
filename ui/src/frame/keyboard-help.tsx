import { strings } from '../strings.ts';
import { Dialog } from './dialog.tsx';

export function KeyboardHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog label={strings.keyboard.title} className="dialog" onClose={onClose}>
      <h2>{strings.keyboard.title}</h2>
      <dl className="dl key-list">
        {strings.keyboard.rows.map(([keys, does]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div className="row mt-2">
        <span className="grow" />
        <button type="button" className="btn" onClick={onClose}>
          {strings.keyboard.close}
        </button>
      </div>
    </Dialog>
  );
}
