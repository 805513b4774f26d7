import { useState } from 'react';
import type { RecallRecord } from '../../api/generated/rest.ts';
import { exactly } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import { whySentences } from '../detail/why-sentences.ts';
import { useExplained } from '../fact-queries.ts';
import { sourceName } from '../list/source-name.ts';
import { shortAge } from '../list/time-left.ts';

const text = strings.home;
const MAX_KEYS = 3;

interface RecallRowProps {
  recall: RecallRecord;
  nowMs: number;
  /** Opens a fact it was given; without it they are not listed. */
  onOpen?(key: string): void;
  onSearch(question: string): void;
}

/** A question of an agent and the facts it was given. */
export function RecallRow({ recall, nowMs, onOpen, onSearch }: RecallRowProps) {
  const { question, facts, gone, source, at, took_ms } = recall;
  const given = facts.length + gone;
  const [isWhy, setIsWhy] = useState(false);
  return (
    <li className="home-recall">
      <button
        type="button"
        className="link cut"
        dir="auto"
        disabled={question === ''}
        title={text.searchAgain}
        onClick={() => onSearch(question)}
      >
        {question === '' ? text.questionHidden : `“${question}”`}
      </button>
      <span className="small faint" title={exactly(at)}>
        {sourceName(source)} · {shortAge(at, nowMs)}
      </span>
      {onOpen && (
        <span className="small muted home-given">
          {text.given(given, took_ms)}
          {facts.slice(0, MAX_KEYS).map(({ key }) => (
            <button key={key} type="button" className="link mono cut" onClick={() => onOpen(key)}>
              {key}
            </button>
          ))}
          {facts.length > MAX_KEYS && <span>{text.andMore(facts.length - MAX_KEYS)}</span>}
          {gone > 0 && <span>{text.gone(gone)}</span>}
          {question !== '' && facts.length > 0 && (
            <button type="button" className="link" aria-expanded={isWhy} onClick={() => setIsWhy(!isWhy)}>
              {text.why}
            </button>
          )}
        </span>
      )}
      {isWhy && <RecallWhy recall={recall} />}
    </li>
  );
}

/** Why each fact was given: the score it had then, and where the words of the question stand in it now. */
function RecallWhy({ recall: { question, facts } }: { recall: RecallRecord }) {
  const hits = useExplained({ q: question });
  if (!hits) return null;
  const whyOf = (key: string) => hits.find((hit) => hit.key === key)?.why;
  return (
    <ul className="small muted recall-why">
      {facts.map(({ key, score }) => {
        const why = whyOf(key);
        return (
          <li key={key}>
            <span className="mono">{key}</span> <span className="num">{score.toFixed(2)}</span>{' '}
            {why ? whySentences(why).join(' ') : text.whyGone}
          </li>
        );
      })}
    </ul>
  );
}
