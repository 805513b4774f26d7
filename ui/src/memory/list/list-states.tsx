import { useEffect, useState } from 'react';
import { strings } from '../../strings.ts';

const text = strings.memory;
const SKELETONS = [
  [38, 92],
  [30, 74],
  [44, 86],
  [34, 66],
  [40, 90],
];

/** Skeleton rows, shown only after 150 ms, so that a fast response does not flicker. */
export function ListSkeleton() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return <div className="facts" />;
  return (
    <div className="facts" aria-busy="true">
      {SKELETONS.map(([head, line]) => (
        <div key={head} className="fact-sk">
          <span className="sk" style={{ width: `${head}%` }} />
          <span className="sk" style={{ width: `${line}%` }} />
        </div>
      ))}
    </div>
  );
}

interface NothingFoundProps {
  filtered: boolean;
  onClear(): void;
  onStore: (() => void) | undefined;
}

export function NothingFound({ filtered, onClear, onStore }: NothingFoundProps) {
  return (
    <div className="facts">
      <div className="empty">
        <Target />
        <h2>{text.noneTitle}</h2>
        <p>{text.noneText}</p>
        <div className="row mt-2">
          {onStore && (
            <button type="button" className="btn btn-primary" onClick={onStore}>
              {text.storeThis}
            </button>
          )}
          {filtered && (
            <button type="button" className="btn" onClick={onClear}>
              {text.clearFilters}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}

/** Rings with a plus. */
function Target() {
  return (
    <svg className="art" viewBox="0 0 96 72" fill="none" stroke="currentColor" aria-hidden="true">
      <circle cx="48" cy="36" r="34" opacity=".25" />
      <circle cx="48" cy="36" r="24" opacity=".5" />
      <circle cx="48" cy="36" r="13" strokeWidth="1.5" />
      <path d="M48 30v12M42 36h12" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}
