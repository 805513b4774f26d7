import { useState } from 'react';
import type { FactVersion } from '../../api/generated/rest.ts';
import { strings } from '../../strings.ts';
import { DiffView } from './diff-view.tsx';
import { FactValue } from './fact-value.tsx';
import { filingChanges } from './filing-changes.ts';
import { Fold } from './fold.tsx';

const text = strings.detail;
type View = 'changes' | 'whole' | 'now';

interface VersionViewProps {
  version: FactVersion;
  before: FactVersion | undefined;
  now: FactVersion;
}

/** What a version changed, its whole text, or how it differs from the present one. */
export function VersionView({ version, before, now }: VersionViewProps) {
  const [view, setView] = useState<View>('changes');
  const views: View[] = ['changes', 'whole', ...(version === now ? [] : (['now'] as const))];
  return (
    <div className="ver-diff stack gap-2">
      {before && (
        <fieldset className="seg justify-self-start" aria-label={text.showVersion(version.version)}>
          {views.map((one) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => setView(one)}>
              {text.versionViews[one]}
            </button>
          ))}
        </fieldset>
      )}
      {view === 'whole' && (
        <Fold>
          <FactValue value={version.value} />
        </Fold>
      )}
      {view === 'now' && <Changes from={version} to={now} />}
      {view === 'changes' &&
        (before ? <Changes from={before} to={version} /> : <p className="small faint">{text.first}</p>)}
    </div>
  );
}

function Changes({ from, to }: { from: FactVersion; to: FactVersion }) {
  const filing = filingChanges(from, to);
  return (
    <>
      {filing.map((line) => (
        <p key={line} className="small muted">
          {line}
        </p>
      ))}
      {(filing.length === 0 || from.value !== to.value) && <DiffView before={from.value} after={to.value} />}
    </>
  );
}
