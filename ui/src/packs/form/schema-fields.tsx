import type { ReactNode } from 'react';
import { Icon } from '../../kit/icon.tsx';
import { EditorField } from '../../memory/editor/editor-field.tsx';
import { strings } from '../../strings.ts';
import { placeIn } from './check-value.ts';
import { type FieldKind, fieldKind, plainSchema } from './field-kind.ts';
import type { Fields } from './first-input.ts';
import { useFormState } from './form-context.ts';
import { GroupField, JsonField, ListField, PairsField } from './nested-fields.tsx';
import { ChoiceInput, LongInput, NumberInput, TextInput, YesNo } from './plain-inputs.tsx';
import { isReference } from './reference.ts';
import { ReferencePicker } from './reference-picker.tsx';
import type { Schema } from './schema.ts';

const text = strings.packForm;
/** A list item is always present, so it gets no "required" or "optional" label. */
const ITEM = /\/\d+$/;
const SHORT: readonly FieldKind[] = ['text', 'number', 'choice'];

export interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  place: string;
  required: boolean;
  onChange(value: unknown): void;
}

interface SchemaFieldsProps {
  schema: Schema;
  value: Fields;
  place: string;
  onChange(value: Fields): void;
}

/** The fields of an object, short ones side by side. */
export function SchemaFields({ schema, value, place, onChange }: SchemaFieldsProps) {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties).filter((name) => !name.startsWith('_'));
  const halves = halfWidth(names, properties);
  return (
    <div className="form-grid">
      {names.map((name) => (
        <div key={name} className={halves.has(name) ? '' : 'wide'}>
          <SchemaField
            name={name}
            schema={properties[name]!}
            value={value[name]}
            place={placeIn(place, name)}
            required={required.includes(name) && properties[name]!.default === undefined}
            onChange={(next) => onChange({ ...value, [name]: next })}
          />
        </div>
      ))}
    </div>
  );
}

/** The fields that share a line: short ones in pairs; an odd one gets a line of its own. */
function halfWidth(names: readonly string[], properties: Record<string, Schema>): ReadonlySet<string> {
  const halves = new Set<string>();
  let waiting: string | undefined;
  for (const name of names) {
    const short = SHORT.includes(fieldKind(name, properties[name]!));
    if (short && waiting !== undefined) {
      halves.add(waiting).add(name);
      waiting = undefined;
    } else waiting = short ? name : undefined;
  }
  return halves;
}

export function SchemaField(props: FieldProps) {
  const { name, value, place, onChange } = props;
  const schema = plainSchema(props.schema);
  const kind = fieldKind(name, schema);
  const isText = kind === 'text' || kind === 'long';
  const pick = (template: string) => onChange(isText ? insertAt(fieldId(place), value, template) : template);
  const picker = <ReferencePicker name={name} schema={schema} onPick={pick} />;
  if (isReference(value) && !isText)
    return (
      <>
        <ReferenceField {...props} value={value} />
        {picker}
      </>
    );
  return (
    <>
      <PlainField {...props} schema={schema} kind={kind} />
      {picker}
    </>
  );
}

const fieldId = (place: string) => `field-${encodeURIComponent(place)}`;

/** The text with the template at the cursor, or at its end. */
function insertAt(id: string, value: unknown, template: string): string {
  const text = typeof value === 'string' ? value : '';
  const field = document.getElementById(id) as HTMLInputElement | HTMLTextAreaElement | null;
  const at = field?.selectionStart ?? text.length;
  return text.slice(0, at) + template + text.slice(field?.selectionEnd ?? at);
}

/** A reference in a field that is not a text. It can be edited as text, or removed. */
function ReferenceField({ name, value, place, required, onChange }: FieldProps & { value: string }) {
  const { problems, touch } = useFormState();
  return (
    <EditorField
      id={encodeURIComponent(place)}
      label={name}
      hint={text.filledLater}
      end={<LabelEnd place={place} value={value} required={required} />}
      problem={problems.get(place)}
    >
      {(attributes) => (
        <div className="form-item">
          <input
            {...attributes}
            className="input mono grow"
            value={value}
            spellCheck={false}
            onBlur={() => touch(place)}
            onChange={(event) => onChange(event.target.value)}
          />
          <button
            type="button"
            className="btn btn-ghost btn-s btn-icon"
            aria-label={text.dropReference(name)}
            title={text.dropReference(name)}
            onClick={() => onChange(undefined)}
          >
            <Icon name="close" small />
          </button>
        </div>
      )}
    </EditorField>
  );
}

function PlainField(field: FieldProps & { kind: FieldKind }) {
  const { name, schema, value, place, required, kind, onChange } = field;
  const { problems, touch } = useFormState();
  if (kind === 'group') return <GroupField {...field} />;
  if (kind === 'list') return <ListField {...field} />;
  if (kind === 'pairs') return <PairsField {...field} />;
  if (kind === 'yes-no')
    return <YesNo name={name} schema={schema} value={value} place={place} onChange={onChange} />;
  return (
    <EditorField
      id={encodeURIComponent(place)}
      label={name}
      hint={schema.description}
      end={<LabelEnd place={place} value={value} required={required} />}
      problem={problems.get(place)}
    >
      {(attributes) => {
        const shared = {
          ...attributes,
          'aria-required': required,
          onBlur: () => touch(place),
        };
        const input = { attributes: shared, schema, value, required, onChange };
        if (kind === 'choice') return <ChoiceInput {...input} />;
        if (kind === 'number') return <NumberInput {...input} />;
        if (kind === 'long') return <LongInput {...input} />;
        return kind === 'json' ? <JsonField {...input} /> : <TextInput {...input} />;
      }}
    </EditorField>
  );
}

/** Where a learned value came from, while it is unchanged; otherwise whether the field is required. */
export function LabelEnd({
  place,
  value,
  required,
}: {
  place: string;
  value: unknown;
  required: boolean;
}): ReactNode {
  const { learned, saysOptional } = useFormState();
  const known = learned.get(place);
  if (known && known.value === value) {
    const { evidence } = known;
    return (
      <span className="learned" title={text.learnedTitle}>
        <Icon name="bolt" small />
        <span className="sr">{text.learned} </span>
        {evidence ? strings.routing.evidence(evidence.count, evidence.of) : text.learned}
      </span>
    );
  }
  if (ITEM.test(place) || (!required && !saysOptional)) return null;
  return required ? (
    <span className="req">{text.required}</span>
  ) : (
    <span className="hint">{text.optional}</span>
  );
}
