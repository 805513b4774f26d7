import type { Stats } from '../api/generated/rest.ts';
import { Icon } from '../kit/icon.tsx';
import { strings } from '../strings.ts';

const text = strings.health;

/** The encryption key in use, and the progress of a key rotation. */
export function KeyCard({ stats }: { stats: Stats }) {
  const { total, done, finished } = stats.rotation;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.key}</h2>
        <span className="small faint">{text.cipher}</span>
      </div>
      <div className="card-body stack stack-card">
        <div className="row">
          <Icon name="key" />
          <span className="mono cut">{stats.key_id}</span>
          <span className={`chip ${stats.key_ephemeral ? 'chip-warn' : ''}`}>
            {stats.key_ephemeral ? text.temporary : text.pinned}
          </span>
        </div>
        {finished ? (
          <p className="small muted">{text.rotated}</p>
        ) : (
          <div className="stack stack-meter">
            <div className="row between">
              <span>{text.rotating}</span>
              <span className="muted num">{text.of(String(done), String(total))}</span>
            </div>
            <span className="bar">
              <i style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
            </span>
            <p className="small faint">{text.rotationText}</p>
          </div>
        )}
      </div>
    </section>
  );
}
