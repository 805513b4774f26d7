import type { Fact } from '../../api/generated/rest.ts';
import { dayOf, exactly, minuteOf } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import { useSimilar } from '../fact-queries.ts';
import { DisagreementNote } from '../home/disagreement-note.tsx';
import { useDisagreements } from '../home/home-queries.ts';
import { KeyName } from '../list/key-name.tsx';
import { LifeBar } from '../list/life-bar.tsx';
import type { MemorySearch } from '../list/memory-search.ts';
import { timeLeft } from '../list/time-left.ts';
import { FactConfirmation } from './fact-confirmation.tsx';
import type { FactActions } from './fact-detail.tsx';
import { FactHistory } from './fact-history.tsx';
import { FactReads } from './fact-reads.tsx';
import { useSourceName } from './use-source-name.ts';

const text = strings.detail;

interface FactBodyProps {
  fact: Fact;
  version: number | undefined;
  onVersion(version: number | undefined): void;
  onOpen(key: string): void;
  onFilter(filter: Partial<MemorySearch>): void;
  /** What the owner may do with it. */
  own: FactActions | undefined;
}

/** Below the value: lifetime, origin, history and similar facts. */
export function FactBody({ fact, version, onVersion, onOpen, onFilter, own }: FactBodyProps) {
  const onMerge = own && ((other: string) => own.merge(fact.key, other));
  const nameOf = useSourceName();
  const disagreements = useDisagreements().filter(({ facts }) => facts.some(({ key }) => key === fact.key));
  const left = timeLeft(fact, Date.now());
  const source = fact.source.client ?? fact.source.surface;
  return (
    <>
      <div className="life">
        <div className="row between small">
          <span className="muted" title={exactly(fact.expires_at)}>
            {strings.memory.forgottenOn(dayOf(fact.expires_at))}
          </span>
          <span className="faint num">
            {left.daysInAll > 1 ? text.left(left.daysLeft, left.daysInAll) : left.short}
          </span>
        </div>
        <LifeBar share={left.share} soon={left.soon} />
      </div>
      {disagreements.map((one) => (
        <DisagreementNote
          key={one.id}
          disagreement={one}
          openKey={fact.key}
          onOpen={onOpen}
          onMerge={own?.merge}
        />
      ))}
      <dl className="dl">
        <dt>{text.source}</dt>
        <dd>
          <button
            type="button"
            className="link-plain"
            title={text.filterBy(nameOf(fact.source))}
            onClick={() => onFilter({ source })}
          >
            {nameOf(fact.source)}
          </button>{' '}
          <span className="faint" title={exactly(fact.updated_at)}>
            · {minuteOf(fact.updated_at)}
          </span>
        </dd>
        <dt>{text.tags}</dt>
        <dd className="row wrap gap-1">
          {fact.tags.length === 0 && <span className="faint">{text.noTags}</span>}
          {fact.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className="chip chip-button"
              dir="auto"
              title={text.filterBy(`#${tag}`)}
              onClick={() => onFilter({ tag })}
            >
              {tag}
            </button>
          ))}
        </dd>
        {fact.project !== undefined && (
          <>
            <dt>{text.project}</dt>
            <dd>
              <button
                type="button"
                className="link-plain"
                title={text.filterBy(fact.project)}
                onClick={() => onFilter({ project: fact.project })}
              >
                {fact.project}
              </button>
            </dd>
          </>
        )}
        <FactConfirmation fact={fact} mayConfirm={own !== undefined} />
        <dt>{text.created}</dt>
        <dd title={exactly(fact.created_at)}>{dayOf(fact.created_at)}</dd>
      </dl>
      <FactReads factKey={fact.key} onSearch={(q) => onFilter({ q })} />
      <FactHistory
        key={fact.key}
        fact={fact}
        version={version}
        onVersion={onVersion}
        onRestore={own && ((old) => own.restore(fact, old))}
      />
      <Similar fact={fact} onOpen={onOpen} onMerge={onMerge} />
    </>
  );
}

interface SimilarProps {
  fact: Fact;
  onOpen(key: string): void;
  onMerge: ((other: string) => void) | undefined;
}

function Similar({ fact, onOpen, onMerge }: SimilarProps) {
  const similar = useSimilar(fact.value, fact.key);
  if (similar.length === 0) return null;
  return (
    <section>
      <div className="section-h">
        <h3>{text.similar}</h3>
      </div>
      {similar.map(({ key, score }) => (
        <div key={key} className="row sim-row">
          <button type="button" className="sim grow" title={key} onClick={() => onOpen(key)}>
            <span className="key grow">
              <KeyName name={key} />
            </span>
            <span className="score">{score.toFixed(2)}</span>
          </button>
          {onMerge && (
            <button
              type="button"
              className="btn btn-ghost btn-s"
              aria-label={text.mergeWith(key)}
              onClick={() => onMerge(key)}
            >
              {text.merge}
            </button>
          )}
        </div>
      ))}
    </section>
  );
}
