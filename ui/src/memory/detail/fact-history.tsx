import { useState } from 'react';
import type { FactVersion } from '../../api/generated/rest.ts';
import { exactly, shortDayOf } from '../../kit/dates.ts';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useHistory } from '../fact-queries.ts';
import { sourceName } from '../list/source-name.ts';
import { DiffView } from './diff-view.tsx';
import { HISTORY } from './history-id.ts';

interface FactHistoryProps {
  factKey: string;
  /** Undefined if the token may not write. */
  onRestore: ((version: FactVersion) => void) | undefined;
}

const text = strings.detail;

/** The versions of a fact, newest first; each can show its diff. */
export function FactHistory({ factKey, onRestore }: FactHistoryProps) {
  const versions = useHistory(factKey).data?.versions ?? [];
  const [shown, setShown] = useState<number | undefined>();
  if (versions.length === 0) return null;
  const open = shown ?? (versions.length > 1 ? versions[0]!.version : 0);
  return (
    <section aria-labelledby={HISTORY}>
      <div className="section-h">
        <h3 id={HISTORY} tabIndex={-1}>
          {text.history}
        </h3>
        <span className="small faint">{text.versions(versions.length)}</span>
      </div>
      <ol className="versions">
        {versions.map((version, index) => (
          <VersionRow
            key={version.version}
            version={version}
            before={versions[index + 1]}
            now={index === 0}
            open={open === version.version}
            onToggle={() => setShown(open === version.version ? 0 : version.version)}
            onRestore={index > 0 && onRestore ? () => onRestore(version) : undefined}
          />
        ))}
      </ol>
    </section>
  );
}

interface VersionRowProps {
  version: FactVersion;
  before: FactVersion | undefined;
  now: boolean;
  open: boolean;
  onToggle(): void;
  onRestore: (() => void) | undefined;
}

function VersionRow({ version, before, now, open, onToggle, onRestore }: VersionRowProps) {
  return (
    <li className="ver-item">
      <div className={`ver ${now ? 'now' : ''}`}>
        <span className="pt" />
        <button
          type="button"
          className="ver-toggle"
          aria-expanded={open}
          title={text.showChange(version.version)}
          onClick={onToggle}
        >
          <span className="mono">v{version.version}</span>
          <span className="cut">{sourceName(version.source)}</span>
        </button>
        <span className="row">
          <span className="small faint nowrap" title={exactly(version.at)}>
            {shortDayOf(version.at)}
          </span>
          {onRestore && (
            <button type="button" className="btn btn-ghost btn-s" onClick={onRestore}>
              <Icon name="restore" small />
              {text.restore}
            </button>
          )}
        </span>
      </div>
      {open && (
        <div className="ver-diff">
          {before ? (
            <DiffView before={before.value} after={version.value} />
          ) : (
            <p className="small faint">{text.first}</p>
          )}
        </div>
      )}
    </li>
  );
}
