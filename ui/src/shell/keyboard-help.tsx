import { Dialog } from '../kit/dialog.tsx';
import { setLetterKeys, useLetterKeys } from '../kit/letter-keys.ts';
import { strings } from '../strings.ts';

/** What the words of the UI mean, the list of hotkeys, and the switch for single-letter ones. */
export function KeyboardHelp({ onClose }: { onClose(): void }) {
  const letters = useLetterKeys();
  return (
    <Dialog label={strings.keyboard.title} className="dialog" onClose={onClose}>
      <h2>{strings.keyboard.title}</h2>
      <h3>{strings.keyboard.words}</h3>
      <dl className="dl">
        {strings.keyboard.glossary.map(([word, means]) => (
          <div key={word} className="contents">
            <dt>{word}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <h3 className="no-phone">{strings.keyboard.keys}</h3>
      <dl className="dl key-list no-phone">
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
        <span className="grow only-phone" />
        <label className="row grow no-phone">
          <input
            type="checkbox"
            checked={letters}
            onChange={(event) => setLetterKeys(event.target.checked)}
          />
          {strings.keyboard.letters}
        </label>
        <button type="button" className="btn" onClick={onClose}>
          {strings.keyboard.close}
        </button>
      </div>
    </Dialog>
  );
}
