import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/call-api.ts';
import type { Fact, FactVersion, SearchHit } from '../../api/generated/rest.ts';
import { copyText } from '../../kit/copy-text.ts';
import { dayOf, exactly, minuteOf } from '../../kit/dates.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { useFact, useSimilar } from '../fact-queries.ts';
import { KeyName } from '../list/key-name.tsx';
import { LifeBar } from '../list/life-bar.tsx';
import type { MemorySearch } from '../list/memory-search.ts';
import { sourceName } from '../list/source-name.ts';
import { timeLeft } from '../list/time-left.ts';
import { WhyHit } from '../list/why-popover.tsx';
import { AdviceNote } from './advice-note.tsx';
import { FactHistory } from './fact-history.tsx';
import { FactValue } from './fact-value.tsx';

const text = strings.detail;

export interface FactActions {
  renew(keys: readonly string[]): void;
  edit(key: string): void;
  forget(keys: readonly string[]): void;
  restore(fact: Fact, version: FactVersion): void;
  merge(key: string, other: string): void;
}

interface FactDetailProps {
  factKey: string;
  hit: SearchHit | undefined;
  /** The search it was found by. */
  search: MemorySearch;
  showWhy: boolean;
  onWhy(): void;
  /** Undefined if the token may not write. Facts of another caller can only be forgotten. */
  actions: FactActions | undefined;
  caller: string | undefined;
  onOpen(key: string): void;
  onClose(): void;
}

export function FactDetail(props: FactDetailProps) {
  const { factKey, onClose, actions, caller } = props;
  const { data: fact, error, refetch } = useFact(factKey);
  const own = caller === undefined ? actions : undefined;
  return (
    <aside className="detail" aria-label={factKey}>
      <div className="detail-bar">
        {fact && (
          <>
            <span className="chip cut">{fact.category}</span>
            <span className="chip chip-line">v{fact.version}</span>
          </>
        )}
        {props.hit && (
          <button
            type="button"
            className="chip chip-accent why-chip"
            aria-expanded={props.showWhy}
            aria-label={`${strings.memory.why} ${props.hit.score.toFixed(2)}`}
            onClick={props.onWhy}
          >
            {props.hit.score.toFixed(2)}
          </button>
        )}
        <span className="grow" />
        {fact && <CopyButton value={fact.value} />}
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={text.close}
          title={text.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      {props.showWhy && props.hit && <WhyHit hit={props.hit} search={props.search} />}
      <div className="detail-scroll">
        <div className="stack detail-top">
          <h2 className="detail-key">
            <KeyName name={factKey} />
          </h2>
          {fact && <FactValue value={fact.value} />}
        </div>
        {fact ? (
          <FactBody {...props} fact={fact} own={own} />
        ) : (
          error && <Missing error={error} onRetry={() => void refetch()} />
        )}
      </div>
      {fact && actions && (
        <Actions>
          {own && (
            <>
              <button type="button" className="btn" onClick={() => own.renew([factKey])}>
                <Icon name="renew" small />
                {text.renew} <kbd>R</kbd>
              </button>
              <button type="button" className="btn" onClick={() => own.edit(factKey)}>
                <Icon name="edit" small />
                {text.edit} <kbd>E</kbd>
              </button>
            </>
          )}
          <span className="grow no-phone" />
          <button type="button" className="btn btn-danger" onClick={() => actions.forget([factKey])}>
            <Icon name="forget" small />
            {caller === undefined ? text.forget : text.forgetOf(caller)}
          </button>
        </Actions>
      )}
    </aside>
  );
}

const Actions = ({ children }: { children: ReactNode }) => <div className="actions">{children}</div>;

interface FactBodyProps {
  fact: Fact;
  caller: string | undefined;
  onOpen(key: string): void;
  /** What the owner may do with it. */
  own: FactActions | undefined;
}

function FactBody({ fact, onOpen, own }: FactBodyProps) {
  const onMerge = own && ((other: string) => own.merge(fact.key, other));
  const left = timeLeft(fact, Date.now());
  return (
    <>
      <div className="life">
        <div className="row between small">
          <span className="muted" title={exactly(fact.expires_at)}>
            {text.forgottenOn(dayOf(fact.expires_at))}
          </span>
          <span className="faint num">
            {left.daysInAll > 1 ? text.left(left.daysLeft, left.daysInAll) : left.short}
          </span>
        </div>
        <LifeBar share={left.share} soon={left.soon} />
      </div>
      <AdviceNote factKey={fact.key} onOpen={onOpen} onMerge={onMerge} />
      <dl className="dl">
        <dt>{text.source}</dt>
        <dd>{sourceName(fact.source)}</dd>
        <dt>{text.tags}</dt>
        <dd className="row wrap gap-1">
          {fact.tags.length === 0 && <span className="faint">{text.noTags}</span>}
          {fact.tags.map((tag) => (
            <span key={tag} className="chip">
              {tag}
            </span>
          ))}
        </dd>
        <dt>{text.updated}</dt>
        <dd title={exactly(fact.updated_at)}>{minuteOf(fact.updated_at)}</dd>
        <dt>{text.created}</dt>
        <dd title={exactly(fact.created_at)}>{dayOf(fact.created_at)}</dd>
      </dl>
      <FactHistory
        key={fact.key}
        factKey={fact.key}
        onRestore={own && ((version) => own.restore(fact, version))}
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
        <div key={key} className="row">
          <button type="button" className="sim grow" onClick={() => onOpen(key)}>
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

function Missing({ error, onRetry }: { error: unknown; onRetry(): void }) {
  if (!(error instanceof ApiError) || error.status !== 404)
    return <ProblemNote error={error} title={text.failed} onRetry={onRetry} />;
  return (
    <div className="note">
      <div className="grow">
        <b>{text.gone}</b>
        <div>{text.goneText}</div>
      </div>
    </div>
  );
}

function CopyButton({ value }: { value: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    const worked = await copyText(value);
    announce(worked ? text.copied : text.copyFailed);
    if (!worked) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s btn-icon"
      aria-label={text.copy}
      title={text.copy}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}
