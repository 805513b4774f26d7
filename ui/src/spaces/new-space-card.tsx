import { type FormEvent, useRef } from 'react';
import { addSpace } from '../api/space-api.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useNavigate } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { useChangeSpace } from './space-queries.ts';

const text = strings.spaces;

/** Makes a space, for admins. */
export function NewSpaceCard() {
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const add = useChangeSpace(addSpace, ({ slug }) => {
    form.current?.reset();
    void navigate({ to: '/spaces', search: { space: slug } });
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const owner = String(fields.get('owner') ?? '').trim();
    add.mutate({ slug: String(fields.get('slug')).trim(), ...(owner === '' ? {} : { owner }) });
  };
  return (
    <section className="card" aria-label={text.make}>
      <div className="card-head">
        <h2>{text.make}</h2>
      </div>
      <form ref={form} className="card-body stack gap-3" onSubmit={submit}>
        <p className="small faint" id="space-slug-hint">
          {text.slugHint}
        </p>
        <div className="space-fields">
          <div className="field">
            <label htmlFor="space-slug">{text.slug}</label>
            <input
              id="space-slug"
              name="slug"
              className="input"
              required
              maxLength={64}
              pattern="[a-z0-9\-]+"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-describedby="space-slug-hint"
            />
          </div>
          <div className="field">
            <label htmlFor="space-owner">
              <span>
                {text.owner} <span className="faint">{text.ownerHint}</span>
              </span>
            </label>
            <input
              id="space-owner"
              name="owner"
              className="input"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </div>
          <button type="submit" className="btn btn-primary" disabled={add.isPending}>
            <Icon name="plus" small />
            {text.makeButton}
          </button>
        </div>
        {add.isError && <ProblemNote error={add.error} />}
      </form>
    </section>
  );
}
