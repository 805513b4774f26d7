import { useState } from 'react';
import { Icon } from '../kit/icon.tsx';
import { FactValue } from '../memory/detail/fact-value.tsx';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { JsonView } from './json-view.tsx';

const text = strings.packRun;
/** Fields that hold the main text of a result. */
const READABLE_FIELDS = ['markdown', 'text', 'summary', 'answer', 'content', 'body', 'message'];
const MIN_READABLE_CHARS = 60;
const SHOWN_CHARS = 4_000;

/** The output of a run: its main text first, and all of it as JSON below. */
export function OutputView({ output, pack }: { output: unknown; pack: string }) {
  const prose = proseOf(output);
  const factKey = storedKey(output, pack);
  return (
    <>
      {prose && <Prose text={prose.text} />}
      {factKey !== undefined && (
        <p>
          <Link to="/" search={{ key: factKey }} className="row">
            <Icon name="memory" small />
            {text.openFact} <span className="mono">{factKey}</span>
          </Link>
        </p>
      )}
      {typeof output !== 'string' && (
        <JsonView
          value={output}
          above={prose && { field: prose.field, note: text.characters(prose.text.length) }}
        />
      )}
    </>
  );
}

function Prose({ text: whole }: { text: string }) {
  const [all, setAll] = useState(false);
  const cut = !all && whole.length > SHOWN_CHARS;
  return (
    <div className="stack gap-2">
      <FactValue value={cut ? `${whole.slice(0, SHOWN_CHARS)}…` : whole} />
      {cut && (
        <div>
          <button type="button" className="btn btn-s" onClick={() => setAll(true)}>
            {text.showAll(whole.length)}
          </button>
        </div>
      )}
    </div>
  );
}

function proseOf(output: unknown): { field: string; text: string } | undefined {
  if (typeof output === 'string') return { field: '', text: output };
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  const fields = output as Record<string, unknown>;
  if (fields.encoding === 'base64') return undefined;
  const field = READABLE_FIELDS.find((name) => {
    const value = fields[name];
    return typeof value === 'string' && (value.length >= MIN_READABLE_CHARS || value.includes('\n'));
  });
  return field === undefined ? undefined : { field, text: fields[field] as string };
}

/** The key of the fact that a run stored, so that it can be opened. */
export function storedKey(output: unknown, pack: string): string | undefined {
  const { key } = (pack === 'helmdeck.memory_store' ? output : {}) as { key?: unknown };
  return typeof key === 'string' ? key : undefined;
}
