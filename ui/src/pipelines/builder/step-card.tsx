import { useState } from 'react';
import type { Pack, PipelineInput } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { EditorField } from '../../memory/editor/editor-field.tsx';
import type { Fields } from '../../packs/form/first-input.ts';
import { formSchema } from '../../packs/form/schema.ts';
import { SchemaFields } from '../../packs/form/schema-fields.tsx';
import { strings } from '../../strings.ts';
import { PackSelect } from './pack-select.tsx';

const text = strings.pipelines.builder;
type Step = PipelineInput['steps'][number];

interface StepCardProps {
  step: Step;
  at: number;
  count: number;
  packs: readonly Pack[];
  problems: ReadonlyMap<string, string>;
  onChange(step: Step): void;
  onRename(id: string): void;
  onMove(step: 1 | -1): void;
  onRemove(): void;
}

/** One step of a pipeline: its name, its pack, and the form of the pack. */
export function StepCard(props: StepCardProps) {
  const { step, at, packs, problems, onChange, onRename } = props;
  const pack = packs.find(({ name }) => name === step.pack);
  const place = `/steps/${at}`;
  const schema = pack && formSchema(pack.input_schema);
  return (
    <section className="card build-step" aria-label={text.stepNumber(at + 1)}>
      <div className="card-head">
        <h2 className="cut">
          {text.stepNumber(at + 1)} <span className="faint mono">{step.id}</span>
        </h2>
        <StepButtons {...props} />
      </div>
      <div className="card-body stack gap-3">
        <div className="form-grid">
          <IdField
            key={step.id}
            id={step.id}
            place={`${place}/id`}
            problem={problems.get(`${place}/id`)}
            onRename={onRename}
          />
          <EditorField
            id={encodeURIComponent(`${place}/pack`)}
            label={text.pack}
            problem={problems.get(`${place}/pack`)}
          >
            {(attributes) => (
              <PackSelect
                attributes={attributes}
                packs={packs}
                value={step.pack}
                // Fields of the same name are kept: packs of a family often share them.
                onChange={(name) => onChange({ ...step, pack: name, version: undefined })}
              />
            )}
          </EditorField>
          {pack && pack.versions.length > 1 && (
            <VersionField pack={pack} step={step} place={`${place}/version`} onChange={onChange} />
          )}
        </div>
        {pack && <p className="hint">{pack.description}</p>}
        {schema && Object.keys(schema.properties ?? {}).length > 0 ? (
          <SchemaFields
            key={step.pack}
            schema={schema}
            value={(step.input ?? {}) as Fields}
            place={`${place}/input`}
            onChange={(input) => onChange({ ...step, input: givenFields(input) })}
          />
        ) : (
          pack && <p className="muted">{text.noInput}</p>
        )}
        <OtherProblems place={`${place}/input`} schema={schema} problems={problems} />
      </div>
    </section>
  );
}

/** Fields that were emptied are absent. */
const givenFields = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Problems of fields that the form does not show, such as one that the pack does not know. */
function OtherProblems({
  place,
  schema,
  problems,
}: {
  place: string;
  schema: { properties?: object } | undefined;
  problems: ReadonlyMap<string, string>;
}) {
  const known = Object.keys(schema?.properties ?? {});
  const others = [...problems].filter(
    ([each]) => each.startsWith(place) && !known.includes(each.slice(place.length + 1).split('/')[0]!),
  );
  if (others.length === 0) return null;
  return (
    <ul className="err">
      {others.map(([each, problem]) => (
        <li key={each}>
          <span className="mono">{each.slice(place.length + 1)}</span>: {problem}
        </li>
      ))}
    </ul>
  );
}

interface IdFieldProps {
  id: string;
  place: string;
  problem: string | undefined;
  onRename(id: string): void;
}

/** References to the step follow its name, so a name counts only when it is complete. */
function IdField({ id, place, problem, onRename }: IdFieldProps) {
  const [typed, setTyped] = useState(id);
  return (
    <EditorField id={encodeURIComponent(place)} label={text.stepId} problem={problem}>
      {(attributes) => (
        <input
          {...attributes}
          className={`input mono ${problem === undefined ? '' : 'is-bad'}`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            if (typed !== id) onRename(typed);
          }}
        />
      )}
    </EditorField>
  );
}

interface VersionFieldProps {
  pack: Pack;
  step: Step;
  place: string;
  onChange(step: Step): void;
}

function VersionField({ pack, step, place, onChange }: VersionFieldProps) {
  return (
    <EditorField id={encodeURIComponent(place)} label={text.version} problem={undefined}>
      {(attributes) => (
        <select
          {...attributes}
          className="select"
          value={step.version ?? ''}
          onChange={(event) => onChange({ ...step, version: event.target.value || undefined })}
        >
          <option value="">{text.latest}</option>
          {pack.versions.map((version) => (
            <option key={version}>{version}</option>
          ))}
        </select>
      )}
    </EditorField>
  );
}

function StepButtons({ step: { id }, at, count, onMove, onRemove }: StepCardProps) {
  return (
    <div className="row">
      <StepButton
        label={text.moveUp(id)}
        icon="chevron"
        turn="up"
        off={at === 0}
        onClick={() => onMove(-1)}
      />
      <StepButton
        label={text.moveDown(id)}
        icon="chevron"
        turn="down"
        off={at === count - 1}
        onClick={() => onMove(1)}
      />
      <StepButton label={text.removeStep(id)} icon="forget" off={false} onClick={onRemove} />
    </div>
  );
}

interface StepButtonProps {
  label: string;
  icon: 'chevron' | 'forget';
  turn?: 'up' | 'down';
  /** Not `disabled`, so that it keeps the focus when a step reaches the end. */
  off: boolean;
  onClick(): void;
}

function StepButton({ label, icon, turn, off, onClick }: StepButtonProps) {
  return (
    <button
      type="button"
      className={`btn btn-ghost btn-s btn-icon ${turn ? `turn-${turn}` : ''}`}
      aria-label={label}
      title={label}
      aria-disabled={off || undefined}
      onClick={() => {
        if (!off) onClick();
      }}
    >
      <Icon name={icon} small />
    </button>
  );
}
