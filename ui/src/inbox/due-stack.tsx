import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listFacts } from '../api/fact-api.ts';
import type { Fact } from '../api/generated/rest.ts';
import { dayOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { confirmLater, useConfirmed } from '../memory/confirming.ts';
import { MEMORY, useCaller } from '../memory/fact-queries.ts';
import { forgetLater, useHidden } from '../memory/forget/forgetting.ts';
import { KeyName } from '../memory/list/key-name.tsx';
import { sourceName } from '../memory/list/source-name.ts';
import { Link, useNavigate } from '../navigation/navigation.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';

const text = strings.inbox;
const MAX_DUE = 100;

/** Facts that are due for review, one at a time: still true, changed, or no longer wanted. */
export function DueStack() {
  const caller = useCaller();
  const navigate = useNavigate();
  const [shownKey, setShownKey] = useState<string>();
  const { data } = useQuery({
    queryKey: [MEMORY, 'due', caller],
    queryFn: ({ signal }) => listFacts({ due: '1', limit: MAX_DUE }, { caller, signal }),
  });
  const [confirmed, forgotten] = [useConfirmed(), useHidden({ caller })];
  // A fact with a short lifetime stays due; once confirmed, it is not asked about again here.
  const [openedMs] = useState(Date.now);
  const isOpen = ({ key, confirmed_at }: Fact) =>
    !confirmed.has(key) && !forgotten.has(key) && Date.parse(confirmed_at) < openedMs;
  const due = data?.facts.filter(isOpen) ?? [];
  const fact = due.find(({ key }) => key === shownKey) ?? due[0];
  const confirm = () => fact && confirmLater(fact, setShownKey);
  const forget = () => {
    if (!fact) return;
    forgetLater([fact.key], { caller });
    announce(`${strings.undo.one} ${fact.key}`);
  };
  const edit = () => fact && void navigate({ to: '/', search: { key: fact.key, mode: 'edit' } });
  useHotkeys({ arrowright: confirm, arrowleft: forget, e: edit }, fact !== undefined);
  if (!data) return null;
  if (!fact) {
    return (
      <div className="empty inbox-empty">
        <Icon name="check" />
        <h2>{text.dueNoneTitle}</h2>
        <p>{text.dueNone}</p>
        <Link to="/" search={{}} className="btn">
          {text.toMemory}
        </Link>
      </div>
    );
  }
  return (
    <section className="card inbox-card inbox-due" aria-label={text.dueCard}>
      <div className="card-head">
        <h2 className="mono cut">
          <KeyName name={fact.key} />
        </h2>
        <span className="small faint num">{text.left(due.length)}</span>
      </div>
      <div className="card-body stack">
        <p className="inbox-ask">{text.stillTrue}</p>
        <p className="inbox-value" dir="auto">
          {fact.value}
        </p>
        <p className="small muted">{whyDue(fact)}</p>
        <div className="inbox-verdict">
          <button type="button" className="btn" onClick={forget}>
            <kbd>←</kbd> {text.forget}
          </button>
          <button type="button" className="btn" onClick={edit}>
            {text.edit} <kbd>E</kbd>
          </button>
          <button type="button" className="btn btn-primary" onClick={confirm}>
            {text.yes} <kbd>→</kbd>
          </button>
        </div>
      </div>
    </section>
  );
}

function whyDue({ stale, confirmed_at, expires_at, source }: Fact): string {
  const since = text.confirmedOn(dayOf(confirmed_at), sourceName(source));
  return stale ? since : `${since} ${text.endsOn(dayOf(expires_at))}`;
}
