import { useState } from 'react';
import { strings } from '../../strings.ts';
import { choicesOf } from './field-kind.ts';
import type { Schema } from './schema.ts';

const text = strings.packForm;

export interface InputProps {
  attributes: {
    id: string;
    'aria-invalid': boolean | undefined;
    'aria-describedby': string | undefined;
    'aria-required': boolean;
    onBlur(): void;
  };
  schema: Schema;
  value: unknown;
  required: boolean;
  onChange(value: unknown): void;
}

/** An empty field means that the value is absent. */
const given = (typed: string) => (typed === '' ? undefined : typed);
const shown = (value: unknown) => (value === undefined || value === null ? '' : String(value));
const bad = ({ 'aria-invalid': invalid }: InputProps['attributes']) => (invalid ? 'is-bad' : '');

export function TextInput({ attributes, value, onChange }: InputProps) {
  return (
    <input
      {...attributes}
      className={`input ${bad(attributes)}`}
      value={shown(value)}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(given(event.target.value))}
    />
  );
}

export function LongInput({ attributes, value, onChange }: InputProps) {
  return (
    <textarea
      {...attributes}
      className={`area ${bad(attributes)}`}
      rows={2}
      value={shown(value)}
      onChange={(event) => onChange(given(event.target.value))}
    />
  );
}

/** Keeps the text as typed, such as `1.`. Text that is not a number is passed on, and validation rejects it. */
export function NumberInput({ attributes, schema, value, onChange }: InputProps) {
  const [typed, setTyped] = useState(shown(value));
  const current = asNumber(typed) === value ? typed : shown(value);
  return (
    <input
      {...attributes}
      className={`input num ${bad(attributes)}`}
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      value={current}
      autoComplete="off"
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(asNumber(event.target.value));
      }}
    />
  );
}

function asNumber(typed: string): number | string | undefined {
  if (typed.trim() === '') return undefined;
  const number = Number(typed);
  return Number.isNaN(number) ? typed : number;
}

export function ChoiceInput({ attributes, schema, value, required, onChange }: InputProps) {
  const choices = choicesOf(schema)!;
  const at = choices.indexOf(value);
  return (
    <select
      {...attributes}
      className={`select ${bad(attributes)}`}
      value={at < 0 ? '' : at}
      onChange={(event) =>
        onChange(event.target.value === '' ? undefined : choices[Number(event.target.value)])
      }
    >
      {(!required || at < 0) && <option value="">{required ? text.choose : text.notGiven}</option>}
      {choices.map((choice, index) => (
        <option key={String(choice)} value={index}>
          {String(choice)}
        </option>
      ))}
    </select>
  );
}

interface YesNoProps {
  name: string;
  schema: Schema;
  value: unknown;
  place: string;
  onChange(value: boolean): void;
}

export function YesNo({ name, schema, value, place, onChange }: YesNoProps) {
  const hintId = `hint-${encodeURIComponent(place)}`;
  return (
    <div className="field">
      <label className={`check ${value === true ? 'on' : ''}`}>
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={schema.description === undefined ? undefined : hintId}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span>{name}</span>
      </label>
      {schema.description !== undefined && (
        <span id={hintId} className="hint">
          {schema.description}
        </span>
      )}
    </div>
  );
}
