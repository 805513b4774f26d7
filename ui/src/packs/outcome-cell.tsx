import { strings } from '../strings.ts';

const GOOD = new Set(['ok', 'succeeded']);
const IN_PROGRESS = new Set(['pending', 'running']);
export const isGood = (outcome: string) => GOOD.has(outcome);

/** The outcome of a run: a dot and a word, never a colour alone. */
export function OutcomeCell({ outcome }: { outcome: string }) {
  const dot = isGood(outcome) ? 'dot-ok' : IN_PROGRESS.has(outcome) ? 'dot-live' : 'dot-bad';
  return (
    <span className="row">
      <span className={`dot ${outcome === 'cancelled' ? '' : dot}`} />
      {strings.outcomes[outcome] ?? outcome}
    </span>
  );
}
