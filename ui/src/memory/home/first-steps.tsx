import { type ReactNode, useEffect, useState } from 'react';
import { useTokens } from '../../connect/token-queries.ts';
import { Icon } from '../../kit/icon.tsx';
import { Link } from '../../navigation/navigation.tsx';
import { useSession } from '../../session/session-context.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { EXAMPLE_TAG } from './example-facts.ts';
import { stepsFlag } from './steps-flag.ts';

const text = strings.firstMinute;
/** Tokens of a person's own sessions; any other is an agent's or a program's. */
const OWN_CLIENTS = ['browser', 'login'];

/** Whether an agent of this person has made a call; asks until one has. */
export function useIsConnected(): boolean {
  const { caller } = useSession();
  const [wasConnected, setWasConnected] = useState(false);
  const { data } = useTokens(!wasConnected);
  // To an admin the list shows the tokens of others too.
  const isConnected =
    data?.tokens.some(
      (token) =>
        token.subject === caller && token.last_used_at !== null && !OWN_CLIENTS.includes(token.client ?? ''),
    ) ?? false;
  if (isConnected && !wasConnected) setWasConnected(true);
  return wasConnected || isConnected;
}

interface Step {
  name: string;
  done: boolean;
  /** How to do it from here. */
  way?: ReactNode;
}

/** The steps of the first minute in one line above the first facts, until all are done or the user closes them. */
export function FirstSteps({ view: { rows, startNew, listbox } }: { view: MemoryView }) {
  const { caller } = useSession();
  const [isOpen, setIsOpen] = useState(() => stepsFlag.read(caller));
  const isConnected = useIsConnected();
  const isTold = rows.some(({ tags }) => !tags.includes(EXAMPLE_TAG));
  const steps: Step[] = [
    {
      name: text.connect,
      done: isConnected,
      way: (
        <Link to="/connect" className="link">
          {text.connect}
        </Link>
      ),
    },
    {
      name: text.tell,
      done: isTold,
      way: startNew && (
        <button type="button" className="link" onClick={startNew}>
          {text.tell}
        </button>
      ),
    },
    { name: text.see, done: isTold },
  ];
  const done = steps.filter((step) => step.done).length;
  const isDone = done === steps.length;
  useEffect(() => {
    if (!isDone) return;
    // The ticks stay while this list is shown.
    stepsFlag.write(caller, false);
    announce(text.allDone);
  }, [isDone, caller]);
  if (!isOpen) return null;
  const close = () => {
    stepsFlag.write(caller, false);
    setIsOpen(false);
    listbox.current?.focus();
  };
  const next = steps.find((step) => !step.done);
  return (
    <section className="first-line" aria-label={text.steps}>
      <ol>
        {steps.map(({ name, done, way }) => (
          <li key={name} className={done ? 'done' : ''}>
            <Mark done={done} />
            {done ? name : (way ?? name)}
            {done && <span className="sr"> {text.done}</span>}
          </li>
        ))}
      </ol>
      <p className={isDone ? 'done' : ''}>
        <Mark done={isDone} />
        {next ? (
          <>
            {text.doneOf(done, steps.length)} {next.way ?? next.name}
          </>
        ) : (
          text.allDone
        )}
      </p>
      <button
        type="button"
        className="btn btn-ghost btn-s btn-icon"
        aria-label={text.closeSteps}
        title={text.closeSteps}
        onClick={close}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}

/** A ring that is ticked once the step is done. */
export const Mark = ({ done }: { done: boolean }) => (
  <span className="first-mark">{done && <Icon name="check" />}</span>
);
