import { type ReactNode, useState } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { placeIn } from './check-value.ts';
import { plainSchema } from './field-kind.ts';
import { type Fields, firstItem } from './first-input.ts';
import { useFormState } from './form-context.ts';
import type { InputProps } from './plain-inputs.tsx';
import { type FieldProps, LabelEnd, SchemaField, SchemaFields } from './schema-fields.tsx';

const text = strings.packForm;

/** An object inside the input. An optional one is absent until it is added. */
export function GroupField({ name, schema, value, place, required, onChange }: FieldProps) {
  const there = required || value !== undefined;
  return (
    <Nested name={name} hint={schema.description} place={place} value={value} required={required}>
      {there ? (
        <SchemaFields schema={schema} value={(value ?? {}) as Fields} place={place} onChange={onChange} />
      ) : null}
      {!required && (
        <AddOrRemove
          there={there}
          name={name}
          onAdd={() => onChange(firstItem(schema))}
          onRemove={() => onChange(undefined)}
        />
      )}
    </Nested>
  );
}

export function ListField({ name, schema, value, place, required, onChange }: FieldProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const item = plainSchema(schema.items ?? {});
  const change = (next: unknown[]) => onChange(next.length === 0 && !required ? undefined : next);
  return (
    <Nested name={name} hint={schema.description} place={place} value={value} required={required}>
      {items.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no key of their own
        <div key={index} className="form-item">
          <div className="grow">
            <SchemaField
              name={text.item(name, index + 1)}
              schema={item}
              value={each}
              place={placeIn(place, index)}
              required
              onChange={(next) => change(items.with(index, next ?? ''))}
            />
          </div>
          <RemoveButton
            label={text.removeItem(name, index + 1)}
            onClick={() => change(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddButton label={text.addItem(name)} onClick={() => change([...items, firstItem(item)])} />
    </Nested>
  );
}

/** A map of strings, such as headers. */
export function PairsField({ name, schema, value, place, required, onChange }: FieldProps) {
  const [rows, setRows] = useState(() => Object.entries((value ?? {}) as Record<string, string>));
  const change = (next: [string, string][]) => {
    setRows(next);
    const named = next.filter(([key]) => key !== '');
    onChange(named.length === 0 && !required ? undefined : Object.fromEntries(named));
  };
  return (
    <Nested name={name} hint={schema.description} place={place} value={value} required={required}>
      {rows.map(([key, each], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
        <div key={index} className="form-item">
          <input
            className="input"
            aria-label={text.pairName(name, index + 1)}
            placeholder={text.pairNameHint}
            value={key}
            spellCheck={false}
            onChange={(event) => change(rows.with(index, [event.target.value, each]))}
          />
          <input
            className="input"
            aria-label={text.pairValue(name, index + 1)}
            placeholder={text.pairValueHint}
            value={each}
            spellCheck={false}
            onChange={(event) => change(rows.with(index, [key, event.target.value]))}
          />
          <RemoveButton
            label={text.removeItem(name, index + 1)}
            onClick={() => change(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddButton label={text.addItem(name)} onClick={() => change([...rows, ['', '']])} />
    </Nested>
  );
}

/** Anything else, as JSON. Invalid JSON is passed on as a string, which validation then rejects. */
export function JsonField({ attributes, value, onChange }: InputProps) {
  const [typed, setTyped] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  return (
    <textarea
      {...attributes}
      className={`area mono ${attributes['aria-invalid'] ? 'is-bad' : ''}`}
      rows={2}
      spellCheck={false}
      placeholder={text.jsonPlaceholder}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(readJson(event.target.value));
      }}
    />
  );
}

function readJson(typed: string): unknown {
  if (typed.trim() === '') return undefined;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

interface NestedProps {
  name: string;
  hint: string | undefined;
  place: string;
  value: unknown;
  required: boolean;
  children: ReactNode;
}

function Nested({ name, hint, place, value, required, children }: NestedProps) {
  const { problems } = useFormState();
  const problem = problems.get(place);
  return (
    <fieldset className="form-nested">
      <legend className="label">
        <span>{name}</span>
        <LabelEnd place={place} value={value} required={required} />
      </legend>
      {hint !== undefined && <p className="hint">{hint}</p>}
      {children}
      {problem !== undefined && <p className="err">{problem}</p>}
    </fieldset>
  );
}

interface AddOrRemoveProps {
  there: boolean;
  name: string;
  onAdd(): void;
  onRemove(): void;
}

function AddOrRemove({ there, name, onAdd, onRemove }: AddOrRemoveProps) {
  if (!there) return <AddButton label={text.addGroup(name)} onClick={onAdd} />;
  return (
    <div>
      <button type="button" className="btn btn-s btn-ghost" onClick={onRemove}>
        {text.removeGroup(name)}
      </button>
    </div>
  );
}

function AddButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <div>
      <button type="button" className="btn btn-s" onClick={onClick}>
        <Icon name="plus" small />
        {label}
      </button>
    </div>
  );
}

function RemoveButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s btn-icon"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon name="close" small />
    </button>
  );
}
