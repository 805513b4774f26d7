import type { Stats } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import { byteSize } from './byte-size.ts';

const text = strings.health;
type Group = keyof typeof text.groups;

const SHADES = ['shade-1', 'shade-2', 'shade-3', 'shade-4'];
/** The group that each kind of row is counted in; the other kinds are summed up. */
const GROUPS: Record<string, Group> = {
  fact: 'facts',
  version: 'facts',
  'audit.pack': 'runs',
  'audit.pipeline': 'runs',
  run: 'runs',
  cache: 'cache',
  vector: 'meanings',
};

/** How much is stored, by kind of row. */
export function StorageCard({ stats }: { stats: Stats }) {
  const kinds = grouped(stats.counts);
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
                {text.groups[kind]}
              </dt>
              <dd className="num">{text.rows(count)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

function grouped(counts: Record<string, number>): [Group, number][] {
  const rows = new Map<Group, number>();
  for (const [kind, count] of Object.entries(counts)) {
    const group = GROUPS[kind] ?? 'other';
    rows.set(group, (rows.get(group) ?? 0) + count);
  }
  return [...rows].sort((a, b) => b[1] - a[1]);
}

const shadeOf = (index: number) => SHADES[Math.min(index, SHADES.length - 1)]!;
