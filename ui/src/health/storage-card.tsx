import type { Stats } from '../api/privacy-api.ts';
import { strings } from '../strings.ts';
import { byteSize } from './byte-size.ts';

const text = strings.health;
const SHADES = ['shade-1', 'shade-2', 'shade-3', 'shade-4'];

export function StorageCard({ stats }: { stats: Stats }) {
  const kinds = Object.entries(stats.counts).sort((a, b) => b[1] - a[1]);
  const rows = kinds.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.storage}</h2>
      </div>
      <div className="card-body stack gap-3">
        <div className="big">
          {byteSize(stats.bytes)} <small>{text.inRows(rows)}</small>
        </div>
        {rows > 0 && (
          <div className="kinds" aria-hidden="true">
            {kinds.map(([kind, count], index) => (
              <i key={kind} className={shadeOf(index)} style={{ flexGrow: count }} />
            ))}
          </div>
        )}
        <dl className="dl dl-r">
          {kinds.map(([kind, count], index) => (
            <div key={kind} className="contents">
              <dt className="row">
                <span className={`sw ${shadeOf(index)}`} />
                {text.kinds[kind] ?? kind}
              </dt>
              <dd className="num">{count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

const shadeOf = (index: number) => SHADES[Math.min(index, SHADES.length - 1)]!;
