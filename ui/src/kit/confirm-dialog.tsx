import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

interface ConfirmDialogProps {
  title: string;
  yes: string;
  no: string;
  /** The action. The dialog stays open until it succeeds, and shows why it failed. */
  act: { mutate(): void; isPending: boolean; error: unknown };
  onClose(): void;
  children: ReactNode;
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({ title, yes, no, act, onClose, children }: ConfirmDialogProps) {
  return (
    <Dialog label={title} className="dialog" onClose={onClose}>
      <h2>{title}</h2>
      {children}
      {act.error !== null && <ProblemNote error={act.error} />}
      <div className="row mt-2">
        <span className="grow" />
        <button type="button" className="btn" onClick={onClose}>
          {no}
        </button>
        <button
          type="button"
          className="btn btn-danger-solid"
          disabled={act.isPending}
          onClick={() => act.mutate()}
        >
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
