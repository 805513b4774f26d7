import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { storeFact } from '../../api/fact-api.ts';
import { useTokens } from '../../connect/token-queries.ts';
import { Icon } from '../../kit/icon.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Link } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import { MEMORY } from '../fact-queries.ts';
import { keyFor } from './key-for.ts';
import { useExample } from './use-example.ts';

const text = strings.firstMinute;
/** Tokens of a person's own sessions; any other is an agent's or a program's. */
const OWN_CLIENTS = ['browser', 'login'];

/** The page of an empty memory, over both panes: three steps, and a way to look around first. */
export function FirstMinute({ mayStore }: { mayStore: boolean }) {
  const { data } = useTokens(true);
  const isConnected =
    data?.tokens.some(
      ({ client, last_used_at }) => last_used_at !== null && !OWN_CLIENTS.includes(client ?? ''),
    ) ?? false;
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
      <span className="first-mark">{done && <Icon name="check" />}</span>
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

/** Stores the first fact from one line, without a form. */
function FirstFact() {
  const id = useId();
  const [value, setValue] = useState('');
  const queryClient = useQueryClient();
  const store = useMutation({
    mutationFn: () => storeFact({ key: keyFor(value), value: value.trim() }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [MEMORY] }),
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
          onChange={(event) => setValue(event.target.value)}
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
