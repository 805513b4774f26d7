import { useEffect, useRef, useState } from 'react';
import type { Fact, FactVersion } from '../../api/generated/rest.ts';
import { dayOf, exactly, minuteOf } from '../../kit/dates.ts';
import { Icon } from '../../kit/icon.tsx';
import { strings } from '../../strings.ts';
import { useHistory } from '../fact-queries.ts';
import { HISTORY } from './history-id.ts';
import { useSourceName } from './use-source-name.ts';
import { VersionView } from './version-view.tsx';

interface FactHistoryProps {
  fact: Fact;
  /** The version that the address names. */
  version: number | undefined;
  onVersion(version: number | undefined): void;
  /** Undefined if the token may not write. */
  onRestore: ((version: FactVersion) => void) | undefined;
}

const text = strings.detail;

/** The versions of a fact, newest first; each can show what it changed. */
export function FactHistory({ fact, version, onVersion, onRestore }: FactHistoryProps) {
  const versions = useHistory(fact.key).data?.versions ?? [];
  const [closed, setClosed] = useState(false);
  if (versions.length === 0) return null;
  const open = version ?? (versions.length > 1 && !closed ? versions[0]!.version : undefined);
  const toggle = (of: number) => {
    setClosed(open === of);
    onVersion(open === of ? undefined : of);
  };
  return (
    <section aria-labelledby={HISTORY}>
      <div className="section-h">
        <h3 id={HISTORY} tabIndex={-1}>
          {text.history}
        </h3>
        <span className="small faint">{text.versions(versions.length)}</span>
      </div>
      {isRefiled(fact, versions[0]!) && (
        <p className="small muted" title={exactly(fact.updated_at)}>
          {text.refiled(minuteOf(fact.updated_at), dayOf(fact.expires_at))}
        </p>
      )}
      <ol className="versions">
        {versions.map((one, index) => (
          <VersionRow
            key={one.version}
            version={one}
            before={versions[index + 1]}
            now={versions[0]!}
            open={open === one.version}
            isNamed={version === one.version}
            onToggle={() => toggle(one.version)}
            onRestore={index > 0 && onRestore ? () => onRestore(one) : undefined}
          />
        ))}
      </ol>
    </section>
  );
}

/** Renewing and re-filing write no version: all that is known of them is when the last one was. */
const isRefiled = (fact: Fact, newest: FactVersion) =>
  newest.version === fact.version && Date.parse(fact.updated_at) > Date.parse(newest.at);

interface VersionRowProps {
  version: FactVersion;
  before: FactVersion | undefined;
  now: FactVersion;
  open: boolean;
  isNamed: boolean;
  onToggle(): void;
  onRestore: (() => void) | undefined;
}

function VersionRow({ version, before, now, open, isNamed, onToggle, onRestore }: VersionRowProps) {
  const nameOf = useSourceName();
  const item = useRef<HTMLLIElement>(null);
  const [wasNamed] = useState(isNamed);
  useEffect(() => {
    // Only a link leads to it; a click shows it where it is.
    if (wasNamed) item.current?.scrollIntoView({ block: 'nearest' });
  }, [wasNamed]);
  return (
    <li className="ver-item" ref={item}>
      <div className={`ver ${now === version ? 'now' : ''}`}>
        <span className="pt" />
        <button
          type="button"
          className="ver-toggle"
          aria-expanded={open}
          title={text.showChange(version.version)}
          onClick={onToggle}
        >
          <span className="mono">v{version.version}</span>
          <span className="cut">{nameOf(version.source)}</span>
        </button>
        <span className="row">
          {onRestore && (
            <button
              type="button"
              className="btn btn-ghost btn-s ver-restore"
              aria-label={text.restoreVersion(version.version)}
              title={text.restoreVersion(version.version)}
              onClick={onRestore}
            >
              <Icon name="restore" small />
            </button>
          )}
          <span className="small faint nowrap" title={exactly(version.at)}>
            {minuteOf(version.at)}
          </span>
        </span>
      </div>
      {open && <VersionView version={version} before={before} now={now} />}
    </li>
  );
}
