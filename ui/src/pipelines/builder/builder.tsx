import { useRef, useState } from 'react';
import type { Pack, PipelineInput } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { EditorField } from '../../memory/editor/editor-field.tsx';
import type { Problems } from '../../packs/form/check-value.ts';
import { firstInput } from '../../packs/form/first-input.ts';
import { FormState } from '../../packs/form/form-context.ts';
import { formSchema, type Schema } from '../../packs/form/schema.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { InputsCard } from './inputs-card.tsx';
import { PackSelect } from './pack-select.tsx';
import { referencesFor, withRenamed } from './references.ts';
import { StepCard } from './step-card.tsx';
import { useStepKeys } from './use-step-keys.ts';

const text = strings.pipelines.builder;
const LABELS = { inputs: text.inputsOfRun, step: text.outputOf, whole: text.wholeOutput };

/** A change is applied to the latest definition: leaving a field and pressing a button may both change it. */
export type Change = (update: (before: PipelineInput) => PipelineInput) => void;

interface BuilderProps {
  body: PipelineInput;
  packs: readonly Pack[];
  /** Only the problems to show now. */
  problems: Problems;
  onTouch(place: string): void;
  onChange: Change;
}

/** A pipeline as a form: its name, its inputs, and a card per step made from the schema of its pack. */
export function Builder({ body, packs, problems, onTouch, onChange }: BuilderProps) {
  const place = useRef<HTMLDivElement>(null);
  const { keys, add, move, remove, rename, replace } = useSteps(body, packs, onChange, place);
  const addInput = (name: string, schema: Schema) => {
    onChange((before) => ({ ...before, inputs: { [name]: describedAs(schema), ...before.inputs } }));
    return `\${{ inputs.${name} }}`;
  };
  return (
    <div ref={place} className="stack gap-4">
      <NameFields body={body} problems={problems} onTouch={onTouch} onChange={onChange} />
      <InputsCard body={body} onChange={onChange} />
      {body.steps.map((step, at) => (
        <FormState
          key={keys[at]}
          value={{
            problems,
            learned: new Map(),
            saysOptional: true,
            touch: onTouch,
            references: referencesFor(body, at, packs, LABELS),
            addInput,
          }}
        >
          <StepCard
            step={step}
            at={at}
            count={body.steps.length}
            packs={packs}
            problems={problems}
            onChange={(next) => replace(at, next)}
            onRename={(id) => rename(at, id)}
            onMove={(by) => move(at, by)}
            onRemove={() => remove(at)}
          />
        </FormState>
      ))}
      <AddStep packs={packs} onAdd={add} />
    </div>
  );
}

/** An input of the same kind as the field that it fills. */
const describedAs = ({ type, description, enum: choices }: Schema): Schema => ({
  type: typeof type === 'string' ? type : 'string',
  ...(description === undefined ? {} : { description }),
  ...(choices === undefined ? {} : { enum: choices }),
});

function useSteps(
  { steps }: PipelineInput,
  packs: readonly Pack[],
  onChange: Change,
  place: { current: HTMLElement | null },
) {
  const keys = useStepKeys(steps.length);
  type Steps = PipelineInput['steps'];
  const change = (update: (before: Steps) => Steps) =>
    onChange((before) => ({ ...before, steps: update(before.steps) }));
  // After the change is rendered.
  const focus = (selector: string) =>
    setTimeout(() => place.current?.querySelector<HTMLElement>(selector)?.focus());
  return {
    keys: keys.list,
    add(pack: string) {
      const schema = formSchema(packs.find(({ name }) => name === pack)!.input_schema);
      keys.add();
      change((before) => [...before, { id: freeId(pack, before), pack, input: firstInput(schema) }]);
      focus('.build-step:nth-last-child(2) input');
    },
    move(at: number, by: 1 | -1) {
      keys.move(at, by);
      change((before) => before.toSpliced(at, 1).toSpliced(at + by, 0, before[at]!));
      announce(text.moved(steps[at]!.id, at + by + 1));
    },
    remove(at: number) {
      keys.remove(at);
      change((before) => before.toSpliced(at, 1));
      focus('.build-add select');
    },
    rename: (at: number, id: string) =>
      change((before) =>
        withRenamed(before.with(at, { ...before[at]!, id }), `steps.${before[at]!.id}`, `steps.${id}`),
      ),
    replace: (at: number, step: Steps[number]) => change((before) => before.with(at, step)),
  };
}

/** `collect_changes` for `release.collect_changes`, with a number if that is taken. */
function freeId(pack: string, steps: PipelineInput['steps']): string {
  const name = pack
    .split('.')
    .at(-1)!
    .replaceAll(/[^A-Za-z0-9_-]/g, '_');
  for (let number = 1; ; number++) {
    const id = number === 1 ? name : `${name}_${number}`;
    if (steps.every((step) => step.id !== id)) return id;
  }
}

function NameFields({ body, problems, onTouch, onChange }: Omit<BuilderProps, 'packs'>) {
  return (
    <div className="stack gap-3">
      <EditorField id="pipeline-name" label={text.name} problem={problems.get('/name')}>
        {(attributes) => (
          <input
            {...attributes}
            className={`input ${problems.has('/name') ? 'is-bad' : ''}`}
            value={body.name ?? ''}
            autoComplete="off"
            onBlur={() => onTouch('/name')}
            onChange={({ target: { value } }) => onChange((before) => ({ ...before, name: value }))}
          />
        )}
      </EditorField>
      <EditorField id="pipeline-description" label={text.description} problem={problems.get('/description')}>
        {(attributes) => (
          <input
            {...attributes}
            className="input"
            value={body.description ?? ''}
            autoComplete="off"
            onChange={({ target: { value } }) =>
              onChange((before) => ({ ...before, description: value || undefined }))
            }
          />
        )}
      </EditorField>
    </div>
  );
}

/** A choice and a button, because choosing with the arrow keys must not add a step each time. */
function AddStep({ packs, onAdd }: { packs: readonly Pack[]; onAdd(pack: string): void }) {
  const [pack, setPack] = useState('');
  return (
    <div className="build-add row">
      <PackSelect
        attributes={{ 'aria-label': text.newStep }}
        packs={packs}
        value={pack}
        placeholder={text.newStep}
        onChange={setPack}
      />
      <button
        type="button"
        className="btn"
        disabled={pack === ''}
        onClick={() => {
          onAdd(pack);
          setPack('');
        }}
      >
        <Icon name="plus" small />
        {text.addStep}
      </button>
    </div>
  );
}
