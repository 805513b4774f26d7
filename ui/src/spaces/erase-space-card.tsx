import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ErasedSpace, SpaceList } from '../api/generated/rest.ts';
import { eraseSpace } from '../api/space-api.ts';
import { keepReceipt } from '../health/kept-receipts.ts';
import { saveReceipt } from '../health/receipt-view.tsx';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { SPACES } from './space-queries.ts';

const text = strings.spaces;

interface EraseSpaceCardProps {
  slug: string;
  onErased(erased: ErasedSpace): void;
}

/** Erases a space for everybody, so it is folded away and asks for the typed name. */
export function EraseSpaceCard({ slug, onErased }: EraseSpaceCardProps) {
  const [typed, setTyped] = useState('');
  const by = useSession().subject;
  const queryClient = useQueryClient();
  const erase = useMutation({
    mutationFn: () => eraseSpace(slug),
    onSuccess(erased) {
      saveReceipt(erased.receipt);
      keepReceipt({ by, subject: slug, receipt: erased.receipt });
      // Reading again here would ask for the members of a space that is gone.
      queryClient.setQueriesData<SpaceList>(
        { queryKey: [SPACES, 'list'] },
        (list) => list && { spaces: list.spaces.filter((space) => space.slug !== slug) },
      );
      onErased(erased);
    },
  });
  const isSure = typed.trim() === slug;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSure) erase.mutate();
  };
  return (
    <section className="card" aria-label={text.erase}>
      <details className="fold">
        <summary className="card-head">
          <Icon name="chevron" small className="tw" />
          <h2>{text.erase}</h2>
        </summary>
        <form className="card-body stack gap-3" onSubmit={submit}>
          <p className="muted">{text.eraseText}</p>
          <div className="field">
            <label htmlFor="erase-space">
              <span>
                {text.eraseType} <span className="mono">{slug}</span>
              </span>
            </label>
            <input
              id="erase-space"
              className="input"
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          {erase.isError && <ProblemNote error={erase.error} />}
          <div>
            <button
              type="submit"
              className={`btn ${isSure ? 'btn-danger-solid' : 'btn-danger'}`}
              disabled={!isSure || erase.isPending}
            >
              <Icon name="forget" small />
              {text.eraseButton}
            </button>
          </div>
        </form>
      </details>
    </section>
  );
}
