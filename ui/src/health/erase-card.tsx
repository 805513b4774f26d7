import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { eraseEverything } from '../api/privacy-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { ReceiptView } from './receipt-view.tsx';

const text = strings.health;

interface EraseCardProps {
  subject: string;
  /** Set if it is another caller's memory. */
  caller: string | undefined;
}

/** Erases everything. It cannot be undone, so it asks for a typed phrase. */
export function EraseCard({ subject, caller }: EraseCardProps) {
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const erase = useMutation({
    mutationFn: () => eraseEverything(caller),
    onSuccess: () => {
      setTyped('');
      void queryClient.invalidateQueries();
    },
  });
  const phrase = text.erasePhrase(subject);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === phrase) erase.mutate();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.erase}</h2>
        <span className="small faint">{text.eraseNote}</span>
      </div>
      <div className="card-body g2">
        <form className="stack gap-3" onSubmit={submit}>
          <p className="muted">{text.eraseText(subject)}</p>
          <div className="field">
            <label htmlFor="erase-phrase">
              <span>
                {text.eraseType} <span className="mono">{phrase}</span>
              </span>
            </label>
            <input
              id="erase-phrase"
              className="input"
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          {erase.isError && <ProblemNote error={erase.error} />}
          <div>
            <button
              type="submit"
              className={`btn ${typed.trim() === phrase ? 'btn-danger-solid' : 'btn-danger'}`}
              disabled={typed.trim() !== phrase || erase.isPending}
            >
              <Icon name="forget" small />
              {text.eraseButton}
            </button>
          </div>
        </form>
        {erase.data?.receipt ? (
          <ReceiptView receipt={erase.data.receipt} />
        ) : (
          <p className="small faint">{text.receiptNone}</p>
        )}
      </div>
    </section>
  );
}
