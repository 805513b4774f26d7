import { useDeferredValue } from 'react';
import { strings } from '../../strings.ts';
import { useSimilar } from '../fact-queries.ts';
import { KeyName } from '../list/key-name.tsx';

const text = strings.editor;

interface SimilarHintProps {
  value: string;
  ownKey: string;
  /** Goes on writing in the fact that is already there. */
  onWriteThere: ((key: string) => void) | undefined;
}

/** What is already remembered and close to what is being written. */
export function SimilarHint({ value, ownKey, onWriteThere }: SimilarHintProps) {
  const similar = useSimilar(useDeferredValue(value), ownKey);
  if (similar.length === 0) return null;
  return (
    <div className="note">
      <div className="grow">
        <b>{text.similar}</b>
        {similar.map(({ key, snippet, score }) => (
          <div key={key} className="similar-hint">
            <span className="key">
              <KeyName name={key} />
            </span>
            <span className="score">{score.toFixed(2)}</span>
            <span className="cut faint">{snippet}</span>
            {onWriteThere && (
              <button
                type="button"
                className="link small"
                aria-label={text.writeThereOf(key)}
                onClick={() => onWriteThere(key)}
              >
                {text.writeThere}
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
