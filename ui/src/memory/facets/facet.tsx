import { useState } from 'react';
import type { NamedCount } from '../../api/generated/rest.ts';
import { useRoving } from '../../kit/use-roving.ts';
import { strings } from '../../strings.ts';
import { FacetDialog } from '../lazy-parts.ts';
import { firstAnd } from './facet-counts.ts';

const SHOWN = 8;
const text = strings.memory;

export interface FacetProps {
  label: string;
  counts: readonly NamedCount[];
  chosen: readonly string[];
  /** More than one can be chosen. */
  several?: boolean;
  nameOf?(name: string): string;
  onToggle(name: string): void;
}

/** The most frequent values of one field, as filters; the others are in a dialog. */
export function Facet(props: FacetProps) {
  const { label, counts, chosen, nameOf = (name) => name, onToggle } = props;
  const [showAll, setShowAll] = useState(false);
  const { ref, onKeyDown } = useRoving<HTMLUListElement>();
  if (counts.length === 0) return null;
  return (
    <section className="facet" aria-label={label}>
      <h2>{label}</h2>
      <ul className="tree" ref={ref} onKeyDown={onKeyDown}>
        {firstAnd(counts, SHOWN, chosen).map(({ name, count }) => {
          const on = chosen.includes(name);
          return (
            <li key={name}>
              <button
                type="button"
                className={`tree-row ${on ? 'on' : ''}`}
                aria-pressed={on}
                disabled={count === 0 && !on}
                onClick={() => onToggle(name)}
              >
                <span className="name plain" dir="auto">
                  {nameOf(name)}
                </span>
                <span className="n">{count.toLocaleString('en')}</span>
              </button>
            </li>
          );
        })}
        {counts.length > SHOWN && (
          <li>
            <button type="button" className="tree-row tree-more" onClick={() => setShowAll(true)}>
              {text.showAll(counts.length)}
            </button>
          </li>
        )}
      </ul>
      {showAll && <FacetDialog {...props} onClose={() => setShowAll(false)} />}
    </section>
  );
}
