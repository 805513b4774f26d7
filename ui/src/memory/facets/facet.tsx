import { useState } from 'react';
import type { NamedCount } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';
import { FacetDialog } from '../lazy-parts.ts';
import { firstAnd } from './facet-counts.ts';
import { FacetOptions } from './facet-options.tsx';

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
  const { label, counts, chosen } = props;
  const [showAll, setShowAll] = useState(false);
  if (counts.length === 0) return null;
  return (
    <section className="facet" aria-label={label}>
      <h2>{label}</h2>
      <FacetOptions {...props} counts={firstAnd(counts, SHOWN, chosen)}>
        {counts.length > SHOWN && (
          <li>
            <button type="button" className="tree-row tree-more" onClick={() => setShowAll(true)}>
              {text.showAll(counts.length)}
            </button>
          </li>
        )}
      </FacetOptions>
      {showAll && <FacetDialog {...props} onClose={() => setShowAll(false)} />}
    </section>
  );
}
