import type { Stats } from '../api/generated/rest.ts';
import { dayOf, exactly } from '../kit/dates.ts';
import { useExpiringCount } from '../memory/fact-queries.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { byteSize } from './byte-size.ts';

const text = strings.health;

/** How much of the quota is used, and when facts expire. */
export function QuotaCard({ stats, subject }: { stats: Stats; subject: string }) {
  const { facts, bytes } = stats.quota;
  const soon = useExpiringCount();
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.quota}</h2>
        <span className="small faint cut">{text.quotaFor(subject)}</span>
      </div>
      <div className="card-body stack stack-card">
        <QuotaBar
          label={text.facts}
          used={facts.used}
          limit={facts.limit}
          show={(n) => n.toLocaleString('en')}
        />
        <QuotaBar label={text.bytes} used={bytes.used} limit={bytes.limit} show={byteSize} />
        <dl className="dl dl-r">
          <dt>{text.oldest}</dt>
          <dd>{stats.oldest === null ? text.never : dayOf(stats.oldest)}</dd>
          <dt>{text.nextExpiry}</dt>
          <dd title={stats.next_expiry === null ? undefined : exactly(stats.next_expiry)}>
            {stats.next_expiry === null ? text.never : dayOf(stats.next_expiry)}
          </dd>
          <dt>{text.expireWeek}</dt>
          <dd className="num">
            {soon === 0 ? (
              0
            ) : (
              <Link to="/" search={({ caller }) => ({ caller, expiring: true as const })}>
                {text.renewSoon(soon)}
              </Link>
            )}
          </dd>
        </dl>
      </div>
    </section>
  );
}

interface QuotaBarProps {
  label: string;
  used: number;
  limit: number | null;
  show(count: number): string;
}

function QuotaBar({ label, used, limit, show }: QuotaBarProps) {
  const share = limit === null ? 0 : used / limit;
  return (
    <div className="stack stack-meter">
      <div className="row between">
        <span>{label}</span>
        <span className="muted num">{text.of(show(used), limit === null ? text.noLimit : show(limit))}</span>
      </div>
      <span className={`bar ${share > 0.9 ? 'bar-warn' : ''}`}>
        <i style={{ width: `${Math.min(100, Math.max(share * 100, used > 0 ? 1.5 : 0))}%` }} />
      </span>
    </div>
  );
}
