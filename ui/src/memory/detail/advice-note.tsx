import { useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { adviceFor, dropAdvice } from './advice-store.ts';

const text = strings.detail;

interface AdviceNoteProps {
  factKey: string;
  onOpen(key: string): void;
  onMerge: ((other: string) => void) | undefined;
}

/** A fact that contradicts this one, as the server reported when it was stored. */
export function AdviceNote({ factKey, onOpen, onMerge }: AdviceNoteProps) {
  const [dismissed, setDismissed] = useState<string>();
  const conflict = adviceFor(factKey)?.conflicts?.find(({ key }) => key !== factKey);
  if (!conflict || dismissed === factKey) return null;
  return (
    <div className="note note-warn">
      <Icon name="warn" />
      <div className="grow">
        <b>
          {text.disagrees} <span className="mono">{conflict.key}</span>
        </b>
        <div>{text.says(conflict.mine, conflict.theirs)}</div>
        <div className="row">
          <button type="button" className="link" onClick={() => onOpen(conflict.key)}>
            {text.openOther}
          </button>
          {onMerge && (
            <button type="button" className="link" onClick={() => onMerge(conflict.key)}>
              {text.merge}
            </button>
          )}
          <button
            type="button"
            className="link"
            onClick={() => {
              dropAdvice(factKey);
              setDismissed(factKey);
            }}
          >
            {text.dismiss}
          </button>
        </div>
      </div>
    </div>
  );
}
