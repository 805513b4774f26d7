import { useState } from 'react';
import { copyText } from '../kit/copy-text.ts';
import { Icon } from '../kit/icon.tsx';
import { announce } from '../shell/announcer.tsx';
import { strings } from '../strings.ts';

const text = strings.connect;
const DONE_MS = 2_000;

interface SnippetProps {
  label: string;
  copyLabel: string;
  /** What is shown; the parts in `marks` are highlighted. */
  shown: string;
  marks: readonly string[];
  /** What is copied, such as the token that is masked on the screen; undefined until there is something to copy. */
  copied: string | undefined;
}

/** Lines to paste. A secret is masked on the screen and copied in full. */
export function Snippet({ label, copyLabel, shown, marks, copied }: SnippetProps) {
  const [done, setDone] = useState<boolean>();
  const copy = async (whole: string) => {
    const worked = await copyText(whole);
    setDone(worked);
    announce(worked ? text.copied : text.copyFailed);
    if (worked) setTimeout(() => setDone(undefined), DONE_MS);
  };
  return (
    <>
      <section className="snippet" aria-label={label}>
        <pre className="code wraps">
          {markedParts(done === false && copied !== undefined ? copied : shown, marks)}
        </pre>
        {copied !== undefined && (
          <button type="button" className="btn btn-s" onClick={() => void copy(copied)}>
            <Icon name={done ? 'check' : 'copy'} small />
            {done ? text.copied : copyLabel}
          </button>
        )}
      </section>
      {done === false && <p className="hint warn-text">{text.copyFailed}</p>}
    </>
  );
}

function markedParts(shown: string, marks: readonly string[]) {
  const places = marks
    .map((mark) => ({ mark, at: shown.indexOf(mark) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const parts = [];
  let from = 0;
  for (const { mark, at } of places) {
    parts.push(shown.slice(from, at), <i key={at}>{mark}</i>);
    from = at + mark.length;
  }
  return [...parts, shown.slice(from)];
}
