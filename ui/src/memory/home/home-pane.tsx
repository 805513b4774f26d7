import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isOwn, listFacts } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { useDueCount, useInboxCount } from '../../inbox/inbox-queries.ts';
import { exactly, minuteOf } from '../../kit/dates.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { SheetHandle } from '../../kit/sheet.tsx';
import { Link, useWhose } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import { MEMORY, useExpiringSoon } from '../fact-queries.ts';
import { KeyName } from '../list/key-name.tsx';
import { rowText } from '../list/row-text.ts';
import { sourceName } from '../list/source-name.ts';
import { shortAge, timeLeft } from '../list/time-left.ts';
import { DisagreementNote } from './disagreement-note.tsx';
import { EXAMPLE_TAG } from './example-facts.ts';
import { useDisagreements, useNews, useRecalls, useSince } from './home-queries.ts';
import { RecallRow } from './recall-row.tsx';
import { useExample } from './use-example.ts';

const text = strings.home;
const MAX_ROWS = 6;
const MAX_RECALLS = 5;

interface HomePaneProps {
  onOpen(key: string): void;
  /** Defined where it covers the list or takes room from it. */
  onClose: (() => void) | undefined;
  onSearch(question: string): void;
  onMerge: ((key: string, other: string) => void) | undefined;
}

/** What happened since the last visit, in the pane that shows a fact once one is open. */
export function HomePane({ onOpen, onClose, onSearch, onMerge }: HomePaneProps) {
  const whose = useWhose();
  const sinceMs = useSince();
  const news = useNews(sinceMs);
  const disagreements = useDisagreements();
  const { data: asked } = useRecalls(MAX_RECALLS);
  const recalls = asked?.recalls ?? [];
  const expiring = useExpiringSoon();
  const { learned = [], changed = [], more = false } = news.data ?? {};
  const nowMs = Date.now();
  const since = new Date(sinceMs).toISOString();
  return (
    <aside className="detail home" aria-label={text.title}>
      {onClose && <SheetHandle onClose={onClose} />}
      <div className="detail-scroll">
        <div className="row between">
          <div>
            <h2 className="home-title">{text.title}</h2>
            <p className="small muted" title={exactly(since)}>
              {text.since(minuteOf(since))}
            </p>
          </div>
          {onClose && (
            <button
              type="button"
              className="btn btn-ghost btn-s btn-icon"
              aria-label={text.close}
              title={text.close}
              onClick={onClose}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
        {news.data && (
          <p className="home-sum">{text.sum(learned.length, changed.length, disagreements.length, more)}</p>
        )}
        <ExampleNote />
        {isOwn(whose) && <ReviewLinks />}
        <Section title={text.disagreements} count={disagreements.length}>
          {disagreements.slice(0, MAX_ROWS).map((disagreement) => (
            <DisagreementNote
              key={disagreement.id}
              disagreement={disagreement}
              onOpen={onOpen}
              onMerge={onMerge}
            />
          ))}
        </Section>
        <Section title={text.learned} count={learned.length}>
          <FactRows facts={learned} onOpen={onOpen} detail={(fact) => origin(fact, nowMs)} />
        </Section>
        <Section title={text.changed} count={changed.length}>
          <FactRows facts={changed} onOpen={onOpen} detail={(fact) => origin(fact, nowMs)} />
        </Section>
        <Section title={text.ends} count={expiring.length}>
          <FactRows
            facts={expiring}
            onOpen={onOpen}
            detail={(fact) => text.endsIn(timeLeft(fact, nowMs).short)}
          />
        </Section>
        <Section title={text.asked} count={recalls.length}>
          <ul className="home-rows">
            {recalls.map((recall) => (
              <RecallRow
                key={`${recall.at} ${recall.question}`}
                recall={recall}
                nowMs={nowMs}
                onOpen={onOpen}
                onSearch={onSearch}
              />
            ))}
          </ul>
        </Section>
        {asked && recalls.length === 0 && <p className="small muted">{text.noneAsked}</p>}
        {whose.space === undefined && (
          <Link to="/agents" search={whose} className="btn home-more">
            <Icon name="eye" /> {strings.nav.agents}
          </Link>
        )}
      </div>
    </aside>
  );
}

/** What waits for the user: proposals of agents, and facts that were not confirmed for long. */
function ReviewLinks() {
  const waiting = useInboxCount();
  const due = useDueCount();
  if (waiting + due === 0) return null;
  return (
    <div className="row wrap">
      {waiting > 0 && (
        <Link to="/inbox" search={{}} className="btn">
          <Icon name="inbox" /> {text.waiting(waiting)}
        </Link>
      )}
      {due > 0 && (
        <Link to="/inbox" search={{ show: 'due' }} className="btn">
          <Icon name="clock" /> {text.due(due)}
        </Link>
      )}
    </div>
  );
}

/** While example facts are there: how to remove them. */
function ExampleNote() {
  const whose = useWhose();
  const { remove } = useExample();
  const { data } = useQuery({
    queryKey: [MEMORY, 'example', whose],
    queryFn: ({ signal }) => listFacts({ tag: EXAMPLE_TAG, limit: 1 }, { ...whose, signal }),
  });
  if (!isOwn(whose) || !data?.facts.some(({ source }) => source.client === 'browser')) return null;
  return (
    <div className="note note-accent">
      <div className="grow">
        {strings.firstMinute.exampleNote}{' '}
        <button type="button" className="link" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {strings.firstMinute.removeExample}
        </button>
        {remove.error && <ProblemNote error={remove.error} />}
      </div>
    </div>
  );
}

const origin = (fact: Fact, nowMs: number) =>
  `${sourceName(fact.source)} · ${shortAge(fact.updated_at, nowMs)}`;

/** A titled part of the pane; absent while it has nothing to say. */
function Section({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <section className="home-part">
      <h3 className="home-head">{title}</h3>
      {children}
    </section>
  );
}

interface FactRowsProps {
  facts: Fact[];
  onOpen(key: string): void;
  detail(fact: Fact): string;
}

function FactRows({ facts, onOpen, detail }: FactRowsProps) {
  const hidden = facts.length - MAX_ROWS;
  return (
    <ul className="home-rows">
      {facts.slice(0, MAX_ROWS).map((fact) => (
        <li key={fact.key}>
          <button type="button" className="home-row" onClick={() => onOpen(fact.key)}>
            <span className="key cut">
              <KeyName name={fact.key} />
            </span>
            <span className="small faint">{detail(fact)}</span>
            <span className="small muted cut home-value" dir="auto">
              {rowText(fact.value)}
            </span>
          </button>
        </li>
      ))}
      {hidden > 0 && <li className="small faint">{text.andMore(hidden)}</li>}
    </ul>
  );
}
