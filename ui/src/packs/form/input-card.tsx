import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Learned } from '../../api/routing-api.ts';
import { DraftNote } from '../../kit/draft-note.tsx';
import { drafts } from '../../kit/drafts.ts';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import type { Fields } from './first-input.ts';
import { FormState } from './form-context.ts';
import type { KeptInput } from './kept-input.ts';
import type { Schema } from './schema.ts';
import { SchemaFields } from './schema-fields.tsx';
import { type InputDraft, useInputDraft } from './use-input-draft.ts';

const text = strings.packForm;

interface InputCardProps {
  schema: Schema;
  learned: Learned | undefined;
  suggested: Fields | undefined;
  /** Where what is typed is kept. */
  kept: KeptInput;
  saysOptional?: boolean;
  /** Why it cannot run now; undefined if it can. */
  locked?: ReactNode;
  busy: boolean;
  onRun(input: Fields): void;
  /** More buttons beside Run; `validInput` validates and returns the input. */
  more?(validInput: () => Fields | undefined): ReactNode;
}

/** The input of a run, as a form or as JSON, with its Run button. Nothing that was typed is lost, however it is left. */
export function InputCard(props: InputCardProps) {
  const [round, setRound] = useState(0);
  const discard = () => {
    drafts.discard(props.kept.name);
    // A new round starts without the draft.
    setRound(round + 1);
  };
  return <InputForm key={round} {...props} onDiscard={discard} />;
}

function InputForm(props: InputCardProps & { onDiscard(): void }) {
  const { schema, saysOptional = true, locked, busy, onRun, more, onDiscard } = props;
  const draft = useInputDraft(props);
  const form = useRef<HTMLFormElement>(null);
  const { suggested } = props;
  useEffect(() => {
    // After a suggestion was taken, the focus goes to the first empty field.
    if (suggested) firstEmpty(form.current!)?.focus();
  }, [suggested]);
  const validInput = () => {
    const input = draft.validInput();
    // After the messages are rendered, focus the first field that has one.
    if (!input) setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    return input;
  };
  const run = (event: FormEvent) => {
    event.preventDefault();
    if (busy || locked !== undefined) return;
    const input = validInput();
    if (input) onRun(input);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(event);
  };
  return (
    <section className="card" aria-label={text.title}>
      <div className="card-head">
        <h2>{text.title}</h2>
        {draft.usesLearned && (
          <span className="learned no-phone">
            <Icon name="bolt" small />
            {text.fromRuns}
          </span>
        )}
        <ModeSwitch draft={draft} />
      </div>
      <form ref={form} className="card-body stack stack-card" onSubmit={run} onKeyDown={onKeyDown} noValidate>
        {draft.restoredMs !== undefined && <DraftNote atMs={draft.restoredMs} onDiscard={onDiscard} />}
        {draft.mode === 'form' ? (
          <FormMode schema={schema} draft={draft} saysOptional={saysOptional} />
        ) : (
          <JsonMode draft={draft} />
        )}
        {locked !== undefined && (
          <p className="note">
            <Icon name="lock" />
            <span>{locked}</span>
          </p>
        )}
        <div className="row wrap">
          {/* Not disabled while running, so that it keeps the keyboard focus. */}
          <button
            type="submit"
            className="btn btn-primary"
            aria-disabled={busy}
            disabled={locked !== undefined}
          >
            <Icon name="play" small />
            {text.run} <kbd>{/Mac/.test(navigator.platform) ? '⌘↵' : 'Ctrl ↵'}</kbd>
          </button>
          {!busy && locked === undefined && more?.(validInput)}
        </div>
      </form>
    </section>
  );
}

function firstEmpty(form: HTMLFormElement): HTMLElement | undefined {
  const fields = form.querySelectorAll<HTMLInputElement>('input:not([type="checkbox"]), textarea, select');
  return (
    [...fields].find(({ value }) => value === '') ??
    form.querySelector<HTMLElement>('[type="submit"]') ??
    undefined
  );
}

function ModeSwitch({ draft }: { draft: InputDraft }) {
  return (
    <fieldset className="seg" aria-label={text.modes}>
      {(['form', 'json'] as const).map((mode) => (
        <button
          key={mode}
          type="button"
          aria-pressed={draft.mode === mode}
          onClick={() => draft.setMode(mode)}
        >
          {text.mode[mode]}
        </button>
      ))}
    </fieldset>
  );
}

interface FormModeProps {
  schema: Schema;
  draft: InputDraft;
  saysOptional: boolean;
}

function FormMode({ schema, draft, saysOptional }: FormModeProps) {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return <p className="muted">{text.noFields}</p>;
  const whole = draft.context.problems.get('');
  return (
    <FormState value={{ ...draft.context, saysOptional }}>
      <SchemaFields schema={schema} value={draft.fields} place="" onChange={draft.setFields} />
      {whole !== undefined && (
        <p className="err" role="alert">
          {whole}
        </p>
      )}
    </FormState>
  );
}

function JsonMode({ draft }: { draft: InputDraft }) {
  const bad = draft.jsonProblems.length > 0;
  return (
    <div className="field">
      <textarea
        className={`area mono json-area ${bad ? 'is-bad' : ''}`}
        aria-label={text.jsonLabel}
        aria-invalid={bad || undefined}
        aria-describedby={bad ? 'json-problems' : undefined}
        spellCheck={false}
        rows={6}
        value={draft.json}
        onChange={(event) => draft.setJson(event.target.value)}
      />
      <ul id="json-problems" className="err" aria-live="polite">
        {draft.jsonProblems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
