import { useEffect, useState } from 'react';
import type { RecallRecord } from '../api/generated/rest.ts';
import { exactly } from '../kit/dates.ts';
import { shortAge } from '../memory/list/time-left.ts';
import { strings } from '../strings.ts';

const text = strings.connect;

interface ConnectLightProps {
  name: string;
  /** Whether the server could not tell. */
  unknown: boolean;
  /** Whether a token was just made, so that a first call is expected. */
  expected: boolean;
  /** When the client called last, if it did. */
  lastCall: string | undefined;
  /** How many tokens it has. */
  tokens: number;
  /** What it asked last, if it did. */
  recall: RecallRecord | undefined;
}

/** A ring that fills when the client makes its first call. */
export function ConnectLight({ name, unknown, expected, lastCall, tokens, recall }: ConnectLightProps) {
  const state = lastCall !== undefined ? 'on' : expected ? 'waiting' : 'off';
  const titles = { on: text.isConnected(name), waiting: text.waiting, off: text.notYet };
  return (
    <section className="card light-card" aria-label={text.light}>
      <div className="empty">
        <svg
          className={`light light-${state}`}
          viewBox="0 0 88 88"
          fill="none"
          stroke="currentColor"
          aria-hidden="true"
        >
          <circle cx="44" cy="44" r="42" opacity=".18" />
          <circle cx="44" cy="44" r="29" opacity=".38" />
          <circle className="core" cx="44" cy="44" r="16" />
          {state === 'on' && <path className="tick" d="m38 44.5 4.2 4.2 8-9" />}
        </svg>
        <div role="status">
          <h2>{unknown ? text.unknown : titles[state]}</h2>
          {lastCall === undefined && !unknown && <p>{expected ? text.waitingHint(name) : text.notYetHint}</p>}
        </div>
        {lastCall !== undefined && recall && <Asked recall={recall} />}
        {lastCall !== undefined && <Since instant={lastCall} tokens={tokens} />}
      </div>
    </section>
  );
}

function Asked({ recall: { question, facts, gone, took_ms, at } }: { recall: RecallRecord }) {
  return (
    <p className="light-asked" title={exactly(at)}>
      <span dir="auto">{question === '' ? text.askedHidden : text.asked(question)}</span>
      {'\u00a0· '}
      <span className="nowrap">{text.found(facts.length + gone, took_ms)}</span>
    </p>
  );
}

/** Outside the status region: a screen reader would announce every second. */
function Since({ instant, tokens }: { instant: string; tokens: number }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(instant)) / 1000));
  const ago = seconds < 60 ? text.secondsAgo(seconds) : shortAge(instant, nowMs);
  return <p title={exactly(instant)}>{tokens > 1 ? text.used(tokens, ago) : text.lastCallAgo(ago)}</p>;
}
