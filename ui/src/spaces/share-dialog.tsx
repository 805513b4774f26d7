import { type FormEvent, useState } from 'react';
import type { Space } from '../api/generated/rest.ts';
import { promoteFact } from '../api/space-api.ts';
import { Dialog } from '../kit/dialog.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { useChangeSpace } from './space-queries.ts';

const text = strings.spaces;

interface ShareDialogProps {
  factKey: string;
  spaces: readonly Space[];
  /** Told in words what became of it. */
  onShared(said: string): void;
  onClose(): void;
}

/** Asks in which space a fact is to be shared. */
export function ShareDialog({ factKey, spaces, onShared, onClose }: ShareDialogProps) {
  const [slug, setSlug] = useState(spaces[0]!.slug);
  const share = useChangeSpace(
    () => promoteFact(factKey, slug),
    ({ status }) => {
      const said = { active: text.shared, declined: text.sharedDeclined };
      onShared((status === 'active' || status === 'declined' ? said[status] : text.sharedWaits)(slug));
      onClose();
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    share.mutate(undefined);
  };
  return (
    <Dialog label={text.shareTitle} className="dialog" onClose={onClose}>
      <h2>{text.shareTitle}</h2>
      <form className="stack gap-3" onSubmit={submit}>
        <p className="muted">{text.shareText}</p>
        <div className="field">
          <label htmlFor="share-space">{text.shareIn}</label>
          <select
            id="share-space"
            className="input"
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
          >
            {spaces.map((space) => (
              <option key={space.id} value={space.slug}>
                {space.slug}
              </option>
            ))}
          </select>
        </div>
        {share.isError && <ProblemNote error={share.error} />}
        <div className="row mt-2">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={share.isPending}>
            {text.shareButton}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
