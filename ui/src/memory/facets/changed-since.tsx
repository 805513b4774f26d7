import { useRoving } from '../../kit/use-roving.ts';
import { strings } from '../../strings.ts';

const text = strings.memory;
const CHOICES = Object.entries(text.since);

interface ChangedSinceProps {
  chosen: string | undefined;
  onChoose(since: string | undefined): void;
}

/** Only facts that were changed in the last days, or since a day. */
export function ChangedSince({ chosen, onChoose }: ChangedSinceProps) {
  const { ref, onKeyDown } = useRoving<HTMLUListElement>();
  const isDay = chosen !== undefined && !Object.hasOwn(text.since, chosen);
  return (
    <section className="facet" aria-label={text.changed}>
      <h2>{text.changed}</h2>
      <ul className="tree" ref={ref} onKeyDown={onKeyDown}>
        {CHOICES.map(([value, label]) => (
          <li key={value}>
            <button
              type="button"
              className={`tree-row ${chosen === value ? 'on' : ''}`}
              aria-pressed={chosen === value}
              onClick={() => onChoose(chosen === value ? undefined : value)}
            >
              <span className="name plain">{label}</span>
            </button>
          </li>
        ))}
      </ul>
      <label className={`since-day ${isDay ? 'on' : ''}`}>
        <span>{text.sinceDay}</span>
        <input
          type="date"
          value={isDay ? chosen : ''}
          onChange={(event) => onChoose(event.target.value || undefined)}
        />
      </label>
    </section>
  );
}
