import type { RouteAdvice } from '../api/pack-api.ts';
import { Icon } from '../kit/icon.tsx';
import { useNameOf } from '../pipelines/pipeline-queries.ts';
import { strings } from '../strings.ts';
import type { Choice } from './ask-bar.tsx';
import { JsonView } from './json-view.tsx';

const text = strings.ask;

interface AskAnswerProps {
  answer: RouteAdvice;
  onUse(choice: Choice): void;
  onClose(): void;
}

/** The recommended pack or pipeline: why it fits, its inputs, alternatives, and what is missing. */
export function AskAnswer({ answer, onUse, onClose }: AskAnswerProps) {
  const { recommendation, alternatives, gap_warning: gap, reasoning } = answer;
  const inputs = Object.entries(recommendation.suggested_inputs ?? {});
  return (
    <section className="ask-answer" aria-label={text.answer}>
      <div className="row items-start">
        <div className="grow stack gap-2">
          {gap ? <Gap gap={gap} reasoning={reasoning} /> : <p>{sentence(recommendation.why ?? reasoning)}</p>}
          {inputs.length > 0 && (
            <p className="row wrap">
              <span className="small faint">{text.filledIn}</span>
              {inputs.map(([name, value]) => (
                <span key={name} className="chip mono">
                  {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
                </span>
              ))}
            </p>
          )}
          {alternatives.length > 0 && <Alternatives alternatives={alternatives} onUse={onUse} />}
        </div>
        <button
          type="button"
          className="btn btn-ghost btn-s btn-icon"
          aria-label={text.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
    </section>
  );
}

/** Turns a clause from the server into a sentence. */
const sentence = (words: string) =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;

function Alternatives({
  alternatives,
  onUse,
}: {
  alternatives: RouteAdvice['alternatives'];
  onUse(choice: Choice): void;
}) {
  const nameOf = useNameOf();
  return (
    <p className="row wrap">
      <span className="small faint">{text.alternatives}</span>
      {alternatives.map(({ kind, id, why }) => (
        <button
          key={`${kind} ${id}`}
          type="button"
          className="filter"
          title={why}
          onClick={() => onUse({ kind, id })}
        >
          <Icon name={kind === 'pack' ? 'cube' : 'routing'} small />
          {nameOf(kind, id)}
        </button>
      ))}
    </p>
  );
}

function Gap({ gap, reasoning }: { gap: NonNullable<RouteAdvice['gap_warning']>; reasoning: string }) {
  const { name, why_useful, integration_pattern, input_schema, output_schema } = gap.proposed_pack;
  return (
    <div className="note note-warn">
      <Icon name="warn" />
      <div className="grow stack gap-1">
        <b>{text.gap}</b>
        <span>{reasoning}</span>
        <span>
          {text.couldBe} <span className="mono">{name}</span>. {why_useful} {integration_pattern}
        </span>
        <details>
          <summary>{text.proposal}</summary>
          <JsonView value={{ name, input_schema, output_schema }} />
        </details>
      </div>
    </div>
  );
}
