import { useQuery } from '@tanstack/react-query';
import type { Receipt } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import { receiptFits } from './receipt-check.ts';
import { saveFile } from './save-file.ts';

const text = strings.health;

export function saveReceipt(receipt: Receipt): void {
  const content = new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' });
  saveFile(content, `helmdeck-receipt-${receipt.receipt_id}.json`);
}

/** An erasure receipt, with the check of its signature. */
export function ReceiptView({ receipt }: { receipt: Receipt }) {
  const { data: fits } = useQuery({
    queryKey: ['receipt', receipt.receipt_id],
    queryFn: async () => (await receiptFits(receipt)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const lines = { ...receipt, rows: receipt.rows.toLocaleString('en'), not_covered: undefined };
  return (
    <section aria-label={text.receipt}>
      <div className="section-h">
        <h3>{text.receipt}</h3>
        <button type="button" className="link small" onClick={() => saveReceipt(receipt)}>
          {text.download}
        </button>
      </div>
      <dl className="receipt">
        {Object.entries(lines).map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name} className="contents">
                <dt>{text.receiptFields[name] ?? name}</dt>
                <dd title={value}>
                  {name === 'signature' && fits === true && <span className="accent">{text.verified} </span>}
                  {name === 'signature' && fits === false && <span className="err">{text.notVerified} </span>}
                  {value}
                </dd>
              </div>
            ),
        )}
      </dl>
      <p className="small faint mt-2">{text.notCovered}</p>
      <ul className="small faint not-covered">
        {receipt.not_covered.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
