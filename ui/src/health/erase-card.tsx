import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { eraseEverything } from '../api/privacy-api.ts';
import { dayOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { keepReceipt, keptReceipts } from './kept-receipts.ts';
import { ReceiptView, saveReceipt } from './receipt-view.tsx';

const text = strings.health;

interface EraseCardProps {
  subject: string;
  /** Set if it is another caller's memory. */
  caller: string | undefined;
}

/** Erases everything. It cannot be undone, so it is folded away and asks for a typed phrase. */
export function EraseCard({ subject, caller }: EraseCardProps) {
  const [typed, setTyped] = useState('');
  const [isKept, setIsKept] = useState(true);
  const by = useSession().subject;
  const queryClient = useQueryClient();
  const erase = useMutation({
    mutationFn: () => eraseEverything(caller),
    onSuccess: ({ receipt }) => {
      setTyped('');
      if (receipt) {
        saveReceipt(receipt);
        setIsKept(keepReceipt({ by, subject, receipt }));
      }
      void queryClient.invalidateQueries();
    },
  });
  useWarningOnLeaving(!isKept);
  const phrase = text.erasePhrase(subject);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === phrase) erase.mutate();
  };
  return (
    <section className="card" aria-label={text.erase}>
      <details className="fold">
        <summary className="card-head">
          <Icon name="chevron" small className="tw" />
          <h2>{text.erase}</h2>
          <span className="small faint">{text.eraseNote}</span>
        </summary>
        <form className="card-body stack gap-3" onSubmit={submit}>
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
              {text.eraseButton(subject)}
            </button>
          </div>
        </form>
      </details>
      {erase.data?.receipt && (
        <div className="card-body stack gap-3">
          <ReceiptView receipt={erase.data.receipt} />
          <p className={`small ${isKept ? 'faint' : 'warn-text'}`} role="status">
            {isKept ? text.receiptSaved : text.receiptNotKept}
          </p>
        </div>
      )}
      <EarlierReceipts by={by} except={erase.data?.receipt?.receipt_id} />
    </section>
  );
}

/** The browser asks before the page goes, while it holds the only copy that is sure to be there. */
function useWarningOnLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
}

function EarlierReceipts({ by, except }: { by: string; except: string | undefined }) {
  const earlier = keptReceipts(by).filter(({ receipt }) => receipt.receipt_id !== except);
  if (earlier.length === 0) return null;
  return (
    <div className="card-body stack gap-2">
      <h3>{text.receipts}</h3>
      {earlier.map(({ subject, receipt }) => (
        <details key={receipt.receipt_id}>
          <summary className="small">{text.receiptOf(subject, dayOf(receipt.erased_at))}</summary>
          <ReceiptView receipt={receipt} />
        </details>
      ))}
    </div>
  );
}
