import type { Embeddings } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { strings } from '../strings.ts';

const text = strings.health;

/** Whether search by meaning is on, how much is indexed, and why it stopped. */
export function EmbeddingsCard({ embeddings }: { embeddings: Embeddings | null }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.meaning}</h2>
        {embeddings === null ? (
          <span className="chip">{text.off}</span>
        ) : embeddings.problem === undefined ? (
          <span className="chip chip-accent">
            <Icon name="check" small />
            {text.on}
          </span>
        ) : (
          <span className="chip chip-warn">{text.stuck}</span>
        )}
      </div>
      <div className="card-body stack stack-card">
        {embeddings === null ? <HowToSwitchOn /> : <Progress {...embeddings} />}
      </div>
    </section>
  );
}

function HowToSwitchOn() {
  return (
    <>
      <p className="muted">{text.meaningOff}</p>
      <p className="small faint">
        {text.meaningHow} <code className="breaks">{text.meaningSetting}</code>
      </p>
    </>
  );
}

function Progress({ model, indexed, waiting, problem }: Embeddings) {
  const all = indexed + waiting;
  return (
    <>
      <div className="stack stack-meter">
        <div className="row between">
          <span>{text.indexed}</span>
          <span className="muted num">{text.of(indexed.toLocaleString('en'), all.toLocaleString('en'))}</span>
        </div>
        <span className="bar">
          <i style={{ width: `${all === 0 ? 100 : (indexed / all) * 100}%` }} />
        </span>
      </div>
      {problem !== undefined && (
        <p className="small warn-text" role="status">
          {problem}
        </p>
      )}
      <dl className="dl dl-r">
        <dt>{text.waiting}</dt>
        <dd className="num">{waiting.toLocaleString('en')}</dd>
        <dt>{text.model}</dt>
        <dd className="mono cut" title={model}>
          {model}
        </dd>
        <dt>{text.ifItStops}</dt>
        <dd>{text.wordsStillMatch}</dd>
      </dl>
    </>
  );
}
