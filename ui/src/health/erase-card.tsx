import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { eraseEverything, type Receipt } from '../api/privacy-api.ts';
import { Icon } from '../frame/icon.tsx';
import { ProblemNote } from '../frame/problem-note.tsx';
import { MEMORY } from '../memory/fact-queries.ts';
import { strings } from '../strings.ts';
import { saveFile } from './save-file.ts';

const text = strings.health;

/** The one act without an undo, so the one that asks for a phrase. */
export function EraseCard({ subject }: { subject: string }) {
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const erase = useMutation({
    mutationFn: eraseEverything,
    onSuccess: () => {
      setTyped('');
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
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
        <ReceiptView receipt={erase.data?.receipt} />
      </div>
    </section>
  );
}

function ReceiptView({ receipt }: { receipt: Receipt | undefined }) {
  if (!receipt) return <p className="small faint">{text.receiptNone}</p>;
  const lines = { ...receipt, not_covered: receipt.not_covered.join('; ') };
  const save = () =>
    saveFile(
      new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }),
      `helmdeck-receipt-${receipt.receipt_id}.json`,
    );
  return (
    <section aria-label={text.receipt}>
      <div className="section-h">
        <h3>{text.receipt}</h3>
        <button type="button" className="link small" onClick={save}>
          {text.download}
        </button>
      </div>
      <dl className="receipt">
        {Object.entries(lines).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd title={String(value)}>{String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
