import { useState } from 'react';
import type { Defaults } from '../api/generated/rest.ts';
import type { Learned } from '../api/routing-api.ts';
import { exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { useCaller } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { dependable, hasLearned } from '../packs/dependable.ts';
import { agoOf } from '../packs/durations.ts';
import { useNameOf } from '../pipelines/pipeline-queries.ts';
import { strings } from '../strings.ts';
import { ConfirmForgetRuns, useMayForget } from './confirm-forget-runs.tsx';

const text = strings.routing;

interface Item extends Learned {
  kind: 'pack' | 'pipeline';
  times: number;
}

/** The learned defaults of packs and pipelines, with their evidence. */
export function DefaultsCard({ defaults: { packs, pipelines } }: { defaults: Defaults }) {
  const [all, setAll] = useState(false);
  const items: Item[] = [
    ...packs.map((each) => ({ ...each, kind: 'pack' as const, times: each.calls })),
    ...pipelines.map((each) => ({ ...each, kind: 'pipeline' as const, times: each.runs })),
  ]
    .map(dependable)
    .filter(hasLearned)
    .sort((a, b) => b.times - a.times);
  const countOf = (kind: Item['kind']) => items.filter((item) => item.kind === kind).length;
  const shown = all ? items : items.slice(0, 6);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.defaults}</h2>
        <span className="small faint">{text.defaultsCount(countOf('pack'), countOf('pipeline'))}</span>
      </div>
      {items.length === 0 && <p className="card-body muted">{text.noDefaults}</p>}
      {shown.map((item) => (
        <LearnedItem key={`${item.kind} ${item.id}`} item={item} />
      ))}
      {items.length > shown.length && (
        <div className="learn">
          <button type="button" className="btn btn-s justify-self-start" onClick={() => setAll(true)}>
            {text.showAll(items.length)}
          </button>
        </div>
      )}
    </section>
  );
}

function LearnedItem({ item }: { item: Item }) {
  const { id, kind, times, last_used_unix, common_inputs = {}, evidence = {} } = item;
  const caller = useCaller();
  const mayForget = useMayForget();
  const name = useNameOf()(kind, id);
  const [asking, setAsking] = useState(false);
  const label = caller === undefined ? text.forgetLearned(name) : text.forgetLearnedOf(name, caller);
  return (
    <div className="learn">
      <div className="row">
        <Link
          to="/packs"
          search={{ [kind]: id }}
          title={id}
          className={`${name === id ? 'mono' : ''} grow cut learn-name`}
        >
          {name}
        </Link>
        <span className="small faint nowrap" title={exactly(new Date(last_used_unix * 1000).toISOString())}>
          {strings.packs.runCount(times)} · {agoOf(last_used_unix, Date.now())}
        </span>
        {mayForget && (
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={label}
            title={label}
            onClick={() => setAsking(true)}
          >
            <Icon name="forget" small />
          </button>
        )}
      </div>
      <dl>
        {Object.entries(common_inputs).map(([field, value]) => (
          <EvidenceRow key={field} field={field} value={value} evidence={evidence[field]} />
        ))}
      </dl>
      {asking && <ConfirmForgetRuns what={{ kind, id, name, times }} onClose={() => setAsking(false)} />}
    </div>
  );
}

interface EvidenceRowProps {
  field: string;
  value: string;
  evidence: { count: number; of: number } | undefined;
}

function EvidenceRow({ field, value, evidence }: EvidenceRowProps) {
  const share = evidence ? evidence.count / evidence.of : 0;
  return (
    <div className="ev">
      <dt className="k cut" title={field}>
        {field}
      </dt>
      <dd className="v cut" title={value}>
        {value}
      </dd>
      {evidence && (
        <dd className="e">
          <span className="bar" aria-hidden="true">
            <i style={{ width: `${share * 100}%` }} />
          </span>
          <span className="ev-count">{text.evidence(evidence.count, evidence.of)}</span>
        </dd>
      )}
    </div>
  );
}
