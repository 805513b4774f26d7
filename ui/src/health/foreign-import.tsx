import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ImportReport } from '../api/generated/rest.ts';
import { importForeign } from '../api/privacy-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { MEMORY } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { importStrings as text } from '../strings/import.ts';
import { strings } from '../strings.ts';

const SHOWN_LINES = 500;

/** What another program's file has: the person sees each line, chooses, and sends the rest to the inbox. */
export function ForeignImport({ file, onClose }: { file: File; onClose(): void }) {
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const queryClient = useQueryClient();
  const preview = useMutation({ mutationFn: () => importForeign(file, { dryRun: true, skip: [] }) });
  const send = useMutation({
    mutationFn: () => importForeign(file, { dryRun: false, skip: [...left] }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [MEMORY] }),
  });
  const { mutate } = preview;
  useEffect(() => mutate(), [mutate]);
  const error = preview.error ?? send.error;
  const report = send.data ?? preview.data;
  const chosen = (preview.data?.proposed ?? 0) - left.size;
  return (
    <div className="stack gap-3">
      <div className="row">
        <Icon name="file" />
        <span className="mono cut">{file.name}</span>
        <span className="grow" />
        <span className="small faint nowrap">{send.data ? strings.health.done : text.found}</span>
      </div>
      {error && <ProblemNote error={error} />}
      {preview.isPending && <p className="muted">{text.reading}</p>}
      {report && <Counts report={report} />}
      {preview.data && !send.data && <Choices report={preview.data} left={left} onChange={setLeft} />}
      <div className="row">
        {preview.data && !send.data && preview.data.proposed > 0 && (
          <button
            type="button"
            className="btn btn-primary btn-s"
            disabled={send.isPending || chosen === 0}
            onClick={() => send.mutate()}
          >
            {text.send(chosen)}
          </button>
        )}
        {send.data && (
          <Link to="/inbox" className="btn btn-primary btn-s">
            {text.openInbox}
          </Link>
        )}
        <button type="button" className="btn btn-ghost btn-s" onClick={onClose}>
          {send.data ? strings.detail.close : strings.health.cancel}
        </button>
      </div>
    </div>
  );
}

function Counts({ report }: { report: ImportReport }) {
  const { proposed, unchanged, skipped, failed, dry_run } = report;
  if (proposed + unchanged + skipped + failed === 0) return <p className="muted">{text.nothing}</p>;
  return (
    <div className="row wrap" role="status">
      <span className="chip chip-accent">{(dry_run ? text.toInbox : text.inInbox)(proposed)}</span>
      {unchanged > 0 && <span className="chip">{text.known(unchanged)}</span>}
      {skipped > 0 && <span className="chip">{text.skipped(skipped)}</span>}
      {failed > 0 && <span className="chip chip-danger">{strings.health.refused(failed)}</span>}
    </div>
  );
}

interface ChoicesProps {
  report: ImportReport;
  /** Lines that are not to be imported. */
  left: ReadonlySet<number>;
  onChange(left: ReadonlySet<number>): void;
}

function Choices({ report, left, onChange }: ChoicesProps) {
  const lines = report.lines.slice(0, SHOWN_LINES);
  const open = lines.filter(({ status }) => status === 'proposed').map(({ line }) => line);
  const more = report.proposed - open.length;
  const toggle = (line: number) => {
    const changed = new Set(left);
    if (!changed.delete(line)) changed.add(line);
    onChange(changed);
  };
  if (lines.length === 0) return null;
  return (
    <div className="lines choices">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              {open.length > 0 && (
                <input
                  type="checkbox"
                  aria-label={text.all}
                  checked={left.size === 0}
                  onChange={() => onChange(left.size === 0 ? new Set(open) : new Set())}
                />
              )}
            </th>
            <th scope="col">{text.what}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ line, status, key = '', value, reason, error, current, conflicts = [] }) => (
            <tr key={line}>
              <td>
                {status === 'proposed' && (
                  <input
                    type="checkbox"
                    aria-label={text.take(key)}
                    checked={!left.has(line)}
                    onChange={() => toggle(line)}
                  />
                )}
              </td>
              <td>
                <div className="mono small faint cut">{key}</div>
                <div className={status === 'failed' ? 'err' : ''}>{error?.message ?? value}</div>
                {status === 'proposed' && reason?.startsWith('screen:') && (
                  <div className="small err">{text.quarantined}</div>
                )}
                {status === 'proposed' && current !== undefined && (
                  <div className="small faint">{text.current(current)}</div>
                )}
                {conflicts.map((each) => (
                  <div key={each.key} className="small faint">
                    {text.conflict(each)}
                  </div>
                ))}
                {status !== 'proposed' && status !== 'failed' && (
                  <div className="small faint">
                    {text.reasons[reason ?? ''] ?? reason ?? strings.health.lineStates[status]}
                  </div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="small faint">{text.more(more)}</p>}
    </div>
  );
}

/** Whether another program wrote a file: an export of Helmdeck is JSON Lines with a key and a value. */
export async function isForeign(file: File): Promise<boolean> {
  const head = await file.slice(0, 65_536).text();
  const line = head.trimStart().split('\n', 1)[0] ?? '';
  return !(/^\{/.test(line) && /"key"\s*:\s*"/.test(line) && /"value"\s*:\s*"/.test(line));
}
