import type { ComponentProps } from 'react';
import type { Pack } from '../../api/generated/rest.ts';
import { familiesOf } from '../../packs/catalogue/families.ts';

interface PackSelectProps {
  attributes?: ComponentProps<'select'>;
  packs: readonly Pack[];
  value: string;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  onChange(pack: string): void;
}

/** The packs that the caller may run, by family. */
export function PackSelect({ attributes, packs, value, placeholder, onChange }: PackSelectProps) {
  const offered = packs.filter(({ name, allowed }) => allowed || name === value);
  return (
    <select
      {...attributes}
      className={`select mono ${attributes?.['aria-invalid'] ? 'is-bad' : ''}`}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {placeholder !== undefined && <option value="">{placeholder}</option>}
      {value !== '' && !offered.some(({ name }) => name === value) && <option>{value}</option>}
      {familiesOf(offered).map((family) => (
        <optgroup key={family.label} label={family.label}>
          {family.packs.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
