import { visibleText } from '../../../../packages/helmdeck/src/memory/facts/hidden-characters.ts';
import { strings } from '../../strings.ts';
import { lineDiff } from './line-diff.ts';

/** The lines that differ, each with its sign and its changed words marked. */
export function DiffView({ before, after }: { before: string; after: string }) {
  const lines = lineDiff(visibleText(before), visibleText(after));
  if (lines.length === 0) return <p className="small faint">{strings.detail.sameText}</p>;
  return (
    <div className="diff">
      {lines.map(({ side, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no key of their own and never move
        <p key={index} className={side} dir="auto">
          {parts.map(({ text, changed }, part) => {
            const key = `${part} ${changed}`;
            if (!changed) return <span key={key}>{text}</span>;
            return side === 'del' ? <del key={key}>{text}</del> : <ins key={key}>{text}</ins>;
          })}
        </p>
      ))}
    </div>
  );
}
