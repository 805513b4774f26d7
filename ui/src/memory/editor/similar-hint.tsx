import { useDeferredValue } from 'react';
import { visibleText } from '../../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { strings } from '../../strings.ts';
import { useSimilar } from '../fact-queries.ts';
import { KeyName } from '../list/key-name.tsx';

const text = strings.editor;

interface SimilarHintProps {
  value: string;
  ownKey: string;
  /** Continues in the editor of the existing fact. */
  onWriteThere: ((key: string) => void) | undefined;
}

/** Existing facts that are similar to what is being typed. */
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
            <span className="cut faint">{visibleText(snippet)}</span>
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
