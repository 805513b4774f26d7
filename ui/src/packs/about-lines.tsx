import type { Metadata } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';

const text = strings.packs;

/** The metadata of a pack or pipeline, for readers who want to know more. */
export function AboutLines({ metadata }: { metadata: Metadata }) {
  const { typical_use, limitations = [], accepts = [], produces = [], supersedes = [] } = metadata;
  const lines: [string, string][] = [
    [text.typicalUse, typical_use ?? ''],
    [text.limits, limitations.join(' ')],
    [text.accepts, accepts.join(', ')],
    [text.produces, produces.join(', ')],
    [text.insteadOf, supersedes.join(', ')],
  ];
  const shown = lines.filter(([, line]) => line !== '');
  if (shown.length === 0) return null;
  return (
    <details className="about">
      <summary>{text.about}</summary>
      <dl className="dl">
        {shown.map(([name, line]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{line}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
