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
  note: 'facts',
  disagreement: 'facts',
  'audit.pack': 'runs',
  'audit.pipeline': 'runs',
  run: 'runs',
  job: 'runs',
  pipeline: 'runs',
  recall: 'questions',
  cache: 'cache',
  vector: 'meanings',
};

/** How much is stored, in bytes by kind of row. */
export function StorageCard({ stats }: { stats: Stats }) {
  const kinds = grouped(stats);
  const rows = kinds.reduce((sum, kind) => sum + kind.rows, 0);
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
            {kinds.map(({ group, bytes }, index) => (
              <i key={group} className={shadeOf(index)} style={{ flexGrow: bytes }} />
            ))}
          </div>
        )}
        <dl className="dl dl-r">
          {kinds.map(({ group, bytes, rows: count }, index) => (
            <div key={group} className="contents">
              <dt className="row">
                <span className={`sw ${shadeOf(index)}`} />
                {text.groups[group]}
              </dt>
              <dd className="num" title={text.rows(count)}>
                {byteSize(bytes)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

interface GroupSize {
  group: Group;
  bytes: number;
  rows: number;
}

/** The largest first. */
function grouped({ counts, bytes_by_kind }: Stats): GroupSize[] {
  const sizes = new Map<Group, GroupSize>();
  for (const [kind, count] of Object.entries(counts)) {
    const group = GROUPS[kind] ?? 'other';
    const before = sizes.get(group) ?? { group, bytes: 0, rows: 0 };
    sizes.set(group, {
      group,
      bytes: before.bytes + (bytes_by_kind[kind] ?? 0),
      rows: before.rows + count,
    });
  }
  return [...sizes.values()].sort((a, b) => b.bytes - a.bytes);
}

const shadeOf = (index: number) => SHADES[Math.min(index, SHADES.length - 1)]!;
