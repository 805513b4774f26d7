import { useState } from 'react';
import type { PipelineInput } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import type { Schema } from '../../packs/form/schema.ts';
import { strings } from '../../strings.ts';
import type { Change } from './builder.tsx';
import { withRenamed } from './references.ts';

const text = strings.pipelines.builder;
const NAME = /^[A-Za-z0-9_-]+$/;

interface InputsCardProps {
  body: PipelineInput;
  onChange: Change;
}

/** The inputs of the pipeline: name, type and description of each. */
export function InputsCard({ body, onChange }: InputsCardProps) {
  const inputs = Object.entries(body.inputs ?? {});
  const change = (update: (before: [string, unknown][]) => [string, unknown][]) =>
    onChange((before) => ({
      ...before,
      inputs: Object.fromEntries(update(Object.entries(before.inputs ?? {}))),
    }));
  const rename = (from: string, to: string) =>
    onChange((before) => ({
      ...before,
      inputs: Object.fromEntries(
        Object.entries(before.inputs ?? {}).map(([name, each]) => [name === from ? to : name, each]),
      ),
      steps: withRenamed(before.steps, `inputs.${from}`, `inputs.${to}`),
    }));
  return (
    <section className="card" aria-label={text.inputs}>
      <div className="card-head">
        <h2>{text.inputs}</h2>
        <button
          type="button"
          className="btn btn-s"
          onClick={() =>
            change((before) => [...before, [freeName(text.newInputName, before), { type: 'string' }]])
          }
        >
          <Icon name="plus" small />
          {text.addInput}
        </button>
      </div>
      <div className="card-body stack gap-3">
        <p className="hint">{text.inputsHint}</p>
        {inputs.map(([name, described], at) => (
          <InputRow
            key={name}
            name={name}
            schema={schemaOf(described)}
            taken={inputs.map(([each]) => each)}
            onRename={(to) => rename(name, to)}
            onChange={(schema) => change((before) => before.with(at, [name, schema]))}
            onRemove={() => change((before) => before.toSpliced(at, 1))}
          />
        ))}
      </div>
    </section>
  );
}

/** Authors write a schema, or just a description. */
const schemaOf = (described: unknown): Schema =>
  typeof described === 'string' ? { type: 'string', description: described } : ((described ?? {}) as Schema);

function freeName(name: string, inputs: readonly [string, unknown][]): string {
  const taken = inputs.map(([each]) => each);
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name}_${number}`;
    if (!taken.includes(free)) return free;
  }
}

interface InputRowProps {
  name: string;
  schema: Schema;
  taken: readonly string[];
  onRename(name: string): void;
  onChange(schema: Schema): void;
  onRemove(): void;
}

function InputRow({ name, schema, taken, onRename, onChange, onRemove }: InputRowProps) {
  const [typed, setTyped] = useState(name);
  const type = typeof schema.type === 'string' && schema.type in text.types ? schema.type : '';
  // References are renamed too, so a name counts only when it is complete.
  const commit = () => {
    if (typed !== name && NAME.test(typed) && !taken.includes(typed)) onRename(typed);
    else setTyped(name);
  };
  return (
    <div className="build-input">
      <input
        className="input mono"
        aria-label={text.inputName}
        value={typed}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
      />
      <select
        className="select"
        aria-label={text.inputType(name)}
        value={type}
        onChange={(event) => onChange({ ...schema, type: event.target.value })}
      >
        {type === '' && <option value="">{text.otherType}</option>}
        {Object.entries(text.types).map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      <input
        className="input"
        aria-label={text.inputDescription(name)}
        placeholder={text.description}
        value={schema.description ?? ''}
        onChange={(event) => onChange({ ...schema, description: event.target.value || undefined })}
      />
      <button
        type="button"
        className="btn btn-ghost btn-s btn-icon"
        aria-label={text.removeInput(name)}
        title={text.removeInput(name)}
        onClick={onRemove}
      >
        <Icon name="close" small />
      </button>
    </div>
  );
}
