import type { ReactNode } from 'react';
import type { NamedCount } from '../../api/generated/rest.ts';
import { useRoving } from '../../kit/use-roving.ts';

interface FacetOptionsProps {
  counts: readonly NamedCount[];
  chosen: readonly string[];
  nameOf?(name: string): string;
  onToggle(name: string): void;
  /** A last row. */
  children?: ReactNode;
}

/** Values of one field as filters, with how many facts each has; one tab stop. */
export function FacetOptions({ counts, chosen, nameOf, onToggle, children }: FacetOptionsProps) {
  const { ref, onKeyDown } = useRoving<HTMLUListElement>();
  return (
    <ul className="tree" ref={ref} onKeyDown={onKeyDown}>
      {counts.map(({ name, count }) => {
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
                {nameOf?.(name) ?? name}
              </span>
              <span className="n">{count.toLocaleString('en')}</span>
            </button>
          </li>
        );
      })}
      {children}
    </ul>
  );
}
