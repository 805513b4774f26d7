import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { isOwn, storeFact } from '../../api/fact-api.ts';
import { drafts } from '../../kit/drafts.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Link, useWhose } from '../../navigation/navigation.tsx';
import { useSession } from '../../session/session-context.ts';
import { strings } from '../../strings.ts';
import { draftName, type FactChanges } from '../editor/fact-draft.ts';
import { MEMORY } from '../fact-queries.ts';
import { forgetStored } from '../undo-writes.ts';
import { noticeWrite } from '../write-notice.ts';
import { Mark, useIsConnected } from './first-steps.tsx';
import { keyFor } from './key-for.ts';
import { stepsFlag } from './steps-flag.ts';
import { useExample } from './use-example.ts';

const text = strings.firstMinute;

/** The page of an empty memory, over both panes: three steps, and a way to look around first. */
export function FirstMinute({ mayStore }: { mayStore: boolean }) {
  const { caller } = useSession();
  const whose = useWhose();
  const own = isOwn(whose);
  const isConnected = useIsConnected();
  useEffect(() => {
    if (own) stepsFlag.write(caller, true);
  }, [caller, own]);
  if (!own) {
    return (
      <div className="facts first-minute">
        <div className="first-in">
          <h2>{text.title}</h2>
          <p className="muted">{text.nothingOf(whose.space ?? whose.caller ?? '')}</p>
        </div>
      </div>
    );
  }
  return (
    <div className="facts first-minute">
      <div className="first-in">
        <h2>{text.title}</h2>
        <p className="muted">{text.lead}</p>
        <ol className="first-steps">
          <Step done={isConnected} title={text.connect} hint={text.connectHint}>
            <Link to="/connect" className="btn btn-primary">
              {text.connectButton}
            </Link>
          </Step>
          <Step done={false} title={text.tell} hint={text.tellHint}>
            {mayStore && <FirstFact />}
          </Step>
          <Step done={false} title={text.see} hint={text.seeHint} />
        </ol>
        {mayStore && <Example />}
      </div>
    </div>
  );
}

interface StepProps {
  done: boolean;
  title: string;
  hint: string;
  children?: ReactNode;
}

function Step({ done, title, hint, children }: StepProps) {
  return (
    <li className={done ? 'first-step done' : 'first-step'}>
      <Mark done={done} />
      <div className="grow stack">
        <div>
          <b>{title}</b>
          {done && <span className="sr"> {text.done}</span>}
          <p className="small muted">{hint}</p>
        </div>
        {children}
      </div>
    </li>
  );
}

/** What is typed here is kept as the draft of a new fact: it outlives a reload, and the form of a new fact shows it. */
const DRAFT = draftName.newFact();

/** Stores the first fact from one line, without a form. */
function FirstFact() {
  const id = useId();
  const [value, setValue] = useState(() => drafts.read<FactChanges>(DRAFT)?.value.changes.value ?? '');
  const queryClient = useQueryClient();
  const type = (next: string) => {
    setValue(next);
    if (next === '') drafts.discard(DRAFT);
    else drafts.save(DRAFT, { changes: { value: next } } satisfies FactChanges);
  };
  const store = useMutation({
    mutationFn: () => storeFact({ key: keyFor(value), value: value.trim(), if_version: 0 }),
    onSuccess: ({ key }) => {
      drafts.discard(DRAFT);
      const undo = async () => {
        await forgetStored(key);
        drafts.save(DRAFT, { changes: { value } } satisfies FactChanges);
      };
      noticeWrite({ text: strings.editor.stored, key, undo });
      return queryClient.invalidateQueries({ queryKey: [MEMORY] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() !== '') store.mutate();
  };
  return (
    <form onSubmit={submit} className="stack">
      <label htmlFor={id} className="small muted">
        {text.tryIt}
      </label>
      <div className="row">
        <input
          id={id}
          className="input grow"
          dir="auto"
          value={value}
          placeholder={text.example}
          onChange={(event) => type(event.target.value)}
        />
        <button type="submit" className="btn" disabled={store.isPending}>
          {text.remember}
        </button>
      </div>
      {store.error && <ProblemNote error={store.error} />}
    </form>
  );
}

function Example() {
  const { fill } = useExample();
  return (
    <div className="stack">
      <p className="small muted">
        {text.lookAround}{' '}
        <button type="button" className="link" disabled={fill.isPending} onClick={() => fill.mutate()}>
          {text.fill}
        </button>
      </p>
      {fill.error && <ProblemNote error={fill.error} />}
    </div>
  );
}
