import { Icon } from '../../kit/icon.tsx';
import { useRoving } from '../../kit/use-roving.ts';
import { useSession } from '../../session/session-context.ts';
import { strings } from '../../strings.ts';
import { type MemorySearch, NO_FILTERS } from '../list/memory-search.ts';
import { removeView, useSavedViews } from './saved-views.ts';

const text = strings.memory;

/** The saved views of this caller. */
export function ViewList({ onChoose }: { onChoose(change: Partial<MemorySearch>): void }) {
  const { caller } = useSession();
  const views = useSavedViews(caller);
  const { ref, onKeyDown } = useRoving<HTMLUListElement>();
  if (views.length === 0) return null;
  return (
    <section className="facet" aria-label={text.views}>
      <h2>{text.views}</h2>
      <ul className="tree" ref={ref} onKeyDown={onKeyDown}>
        {views.map(({ name, search }) => (
          <li key={name} className="view-row">
            <button
              type="button"
              className="tree-row"
              onClick={() => onChoose({ ...NO_FILTERS, q: undefined, sort: undefined, ...search })}
            >
              <span className="name plain" dir="auto">
                {name}
              </span>
            </button>
            <button
              type="button"
              className="btn btn-ghost btn-s btn-icon"
              aria-label={text.removeView(name)}
              title={text.removeView(name)}
              onClick={() => removeView(caller, name)}
            >
              <Icon name="close" small />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
