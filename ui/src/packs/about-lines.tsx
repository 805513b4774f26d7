import type { Metadata } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';

const text = strings.packs;

/** What its author says about it, for whoever wants to know more. */
export function AboutLines({ metadata }: { metadata: Metadata }) {
  const { typical_use, limitations = [], accepts = [], produces = [], supersedes = [] } = metadata;
  const lines: [string, string][] = [
    [text.typicalUse, typical_use ?? ''],
    [text.limits, limitations.join(' ')],
    [text.accepts, accepts.join(', ')],
    [text.produces, produces.join(', ')],
    [text.insteadOf, supersedes.join(', ')],
  ];
  const told = lines.filter(([, line]) => line !== '');
  if (told.length === 0) return null;
  return (
    <details className="about">
      <summary>{text.about}</summary>
      <dl className="dl">
        {told.map(([name, line]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{line}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
