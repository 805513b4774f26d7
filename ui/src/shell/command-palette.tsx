import { type KeyboardEvent, useRef, useState } from 'react';
import { Dialog } from '../kit/dialog.tsx';
import { Icon } from '../kit/icon.tsx';
import { lazyPart } from '../kit/lazy-part.tsx';
import { strings } from '../strings.ts';

const text = strings.palette;
const PaletteResults = lazyPart(
  () => import('./palette-results.tsx'),
  ({ PaletteResults }) => PaletteResults,
);

/**
 * Finds facts, actions and pages, from any page. Only the results are loaded on first use: what is typed at once after
 * opening must reach the input, not the hotkeys of the page.
 */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState<string>();
  const onKeyDown = useRef<((event: KeyboardEvent) => void) | null>(null);
  return (
    <Dialog label={text.open} className="palette" onClose={onClose}>
      <div className="in">
        <Icon name="search" />
        <input
          type="text"
          className="palette-input"
          role="combobox"
          aria-label={text.placeholder}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={active}
          placeholder={text.placeholder}
          value={typed}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => onKeyDown.current?.(event)}
        />
        <kbd>{text.close}</kbd>
      </div>
      <div id="palette-list" role="listbox" aria-label={text.results} className="palette-list">
        <PaletteResults typed={typed} onKeyDown={onKeyDown} onActive={setActive} onClose={onClose} />
      </div>
      <div className="ft no-phone">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> {text.move}
        </span>
        <span>
          <kbd>↵</kbd> {text.choose}
        </span>
      </div>
    </Dialog>
  );
}
