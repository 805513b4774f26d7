import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useRef, useState } from 'react';
import type { ImportReport } from '../api/generated/rest.ts';
import { exportFacts, importFacts } from '../api/privacy-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { MEMORY } from '../memory/fact-queries.ts';
import { importStrings } from '../strings/import.ts';
import { strings } from '../strings.ts';
import { ForeignImport, isForeign } from './foreign-import.tsx';
import { saveFile } from './save-file.ts';

const text = strings.health;

/** Exports facts to a file, and imports a file after a preview. */
export function MoveCard({ mayImport }: { mayImport: boolean }) {
  const [file, setFile] = useState<File>();
  const [foreign, setForeign] = useState<File>();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const queryClient = useQueryClient();
  const exportAll = useMutation({
    mutationFn: exportFacts,
    onSuccess: (blob) => saveFile(blob, exportName()),
  });
  const preview = useMutation({ mutationFn: (chosen: File) => importFacts(chosen, true) });
  const importFile = useMutation({
    mutationFn: (chosen: File) => importFacts(chosen, false),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [MEMORY] }),
  });
  const choose = async (chosen: File | undefined) => {
    importFile.reset();
    preview.reset();
    const isOwn = chosen === undefined || !(await isForeign(chosen));
    setForeign(isOwn ? undefined : chosen);
    setFile(isOwn ? chosen : undefined);
    if (chosen && isOwn) preview.mutate(chosen);
    if (input.current) input.current.value = '';
  };
  const dropped = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      void choose(event.dataTransfer.files[0]);
    },
  };
  const report = importFile.data ?? preview.data;
  const error = exportAll.error ?? preview.error ?? importFile.error;
  return (
    <section
      className={isOver ? 'card card-drop' : 'card'}
      aria-label={text.move}
      {...(mayImport ? dropped : {})}
    >
      <div className="card-head">
        <h2>{text.move}</h2>
        <button
          type="button"
          className="btn btn-s"
          disabled={exportAll.isPending}
          onClick={() => exportAll.mutate()}
        >
          <Icon name="down" small />
          {text.export}
        </button>
        {mayImport && (
          <>
            <button type="button" className="btn btn-s" onClick={() => input.current?.click()}>
              <Icon name="up" small />
              {text.import}
            </button>
            <input
              ref={input}
              className="sr"
              type="file"
              tabIndex={-1}
              accept=".jsonl,.ndjson,.json,.md,.af,.zip,application/x-ndjson"
              aria-label={text.importFile}
              onChange={(event) => void choose(event.target.files?.[0])}
            />
          </>
        )}
      </div>
      <div className="card-body stack gap-3">
        {!file && !foreign && (
          <>
            <p className="muted">{text.moveText}</p>
            {mayImport && <p className="drop-note">{isOver ? importStrings.dropHere : importStrings.drop}</p>}
          </>
        )}
        {foreign && (
          // Another file starts over, also one with the same name.
          <ForeignImport
            key={`${foreign.name} ${foreign.lastModified} ${foreign.size}`}
            file={foreign}
            onClose={() => setForeign(undefined)}
          />
        )}
        {error && <ProblemNote error={error} />}
        {file && report && (
          <>
            <div className="row">
              <Icon name="file" />
              <span className="mono cut">{file.name}</span>
              <span className="grow" />
              <span className="small faint nowrap">{report.dry_run ? text.preview : text.done}</span>
            </div>
            <Counts report={report} />
            <div className="row">
              {report.dry_run && report.stored + report.proposed > 0 && (
                <button
                  type="button"
                  className="btn btn-primary btn-s"
                  disabled={importFile.isPending}
                  onClick={() => importFile.mutate(file)}
                >
                  {text.importNow(report.stored + report.proposed)}
                </button>
              )}
              <button type="button" className="btn btn-ghost btn-s" onClick={() => void choose(undefined)}>
                {report.dry_run ? text.cancel : strings.detail.close}
              </button>
            </div>
            <Lines report={report} />
          </>
        )}
      </div>
    </section>
  );
}

function Counts({ report }: { report: ImportReport }) {
  const stored = report.dry_run ? text.stored : text.storedDone;
  const replaced = report.dry_run ? text.replaces : text.replacesDone;
  return (
    <div className="row wrap" role="status">
      <span className="chip chip-accent">{stored(report.stored)}</span>
      {report.replaced > 0 && <span className="chip chip-warn">{replaced(report.replaced)}</span>}
      {report.proposed > 0 && <span className="chip">{importStrings.toInbox(report.proposed)}</span>}
      {report.unchanged > 0 && <span className="chip">{text.unchanged(report.unchanged)}</span>}
      {report.skipped > 0 && <span className="chip">{text.skipped(report.skipped)}</span>}
      {report.failed > 0 && <span className="chip chip-danger">{text.refused(report.failed)}</span>}
    </div>
  );
}

const SHOWN_LINES = 200;

function Lines({ report }: { report: ImportReport }) {
  return (
    <details>
      <summary className="small">{text.lines}</summary>
      <div className="lines">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{text.line}</th>
              <th scope="col">{text.lineKey}</th>
              <th scope="col">{text.lineResult}</th>
            </tr>
          </thead>
          <tbody>
            {report.lines.slice(0, SHOWN_LINES).map((line) => (
              <tr key={line.line}>
                <td className="num">{line.line}</td>
                <td className="mono cut">{line.key ?? ''}</td>
                <td className={line.status === 'failed' ? 'err' : ''}>
                  {line.error?.message ??
                    line.reason ??
                    text.lineStates[line.replaces ? 'replaces' : line.status]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const exportName = () => `helmdeck-${new Date().toISOString().slice(0, 10)}.jsonl`;
