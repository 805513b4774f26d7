import { memo } from 'react';
import { exactly } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import type { Row } from '../fact-queries.ts';
import { highlightParts } from './highlight-parts.ts';
import { KeyName } from './key-name.tsx';
import { LifeBar } from './life-bar.tsx';
import { sourceName } from './source-name.ts';
import { shortAge, timeLeft } from './time-left.ts';

interface FactRowProps {
  row: Row;
  nowMs: number;
}

const STRONG_SCORE = 0.75;
const SHOWN_TAGS = 3;

/** The content of a listbox option: three lines, without buttons. */
export const FactRow = memo(function FactRow({ row, nowMs }: FactRowProps) {
  const left = timeLeft(row, nowMs);
  const source = sourceName(row.source);
  return (
    <>
      <div className="fact-head">
        <span className="key">
          <KeyName name={row.key} />
        </span>
        <span className="chip">{row.category}</span>
        {row.hit && (
          <span className={`score ${row.hit.score >= STRONG_SCORE ? 'hi' : ''}`}>
            {row.hit.score.toFixed(2)}
          </span>
        )}
      </div>
      <p className="fact-text" dir="auto">
        {highlightParts(row.text, row.highlights ?? []).map(({ text, marked, start }) =>
          marked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
        )}
      </p>
      <div className="fact-meta">
        {source !== '' && (
          <>
            <span className="cut">{source}</span>
            <span className="sep">·</span>
          </>
        )}
        <span className="nowrap" title={exactly(row.updated_at)}>
          {shortAge(row.updated_at, nowMs)}
        </span>
        {row.tags.length > 0 && <span className="sep opt-meta">·</span>}
        {row.tags.slice(0, SHOWN_TAGS).map((tag) => (
          <span key={tag} className="tag opt-meta cut" dir="auto">
            {tag}
          </span>
        ))}
        <span
          className={`left ${left.soon ? 'soon' : ''}`}
          title={strings.memory.forgottenOn(exactly(row.expires_at))}
        >
          {left.short}
          <LifeBar share={left.shareInList} soon={left.soon} />
        </span>
      </div>
    </>
  );
});
