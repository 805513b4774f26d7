import { useQuery } from '@tanstack/react-query';
import type { Backups } from '../api/generated/rest.ts';
import { readBackups } from '../api/privacy-api.ts';
import { exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { shortAge } from '../memory/list/time-left.ts';
import { strings } from '../strings.ts';
import { byteSize } from './byte-size.ts';
import { KeySaved } from './key-saved.tsx';

const text = strings.health.backups;
const FIRST_BACKUP_POLL_MS = 2_000;

/** The scheduled backups: where they go and how old the newest is. Amber if there is none to rely on. */
export function BackupsCard({ keyId }: { keyId: string }) {
  const { data } = useQuery({
    queryKey: ['backups'],
    queryFn: ({ signal }) => readBackups(signal),
    staleTime: 0,
    // The first backup is made soon after the start of the server.
    refetchInterval: ({ state: { data: known } }) =>
      known?.schedule && !known.schedule.last ? FIRST_BACKUP_POLL_MS : false,
  });
  if (!data) return null;
  const problem = problemOf(data);
  return (
    <section className="card" aria-label={text.title}>
      <div className="card-head">
        <h2>{text.title}</h2>
        {data.possible && (
          <span className={`chip ${problem ? 'chip-warn' : 'chip-accent'}`}>
            {data.schedule ? text.every(data.schedule.every_seconds) : text.off}
          </span>
        )}
      </div>
      <div className="card-body stack gap-3">
        {problem && (
          <div className="note note-warn">
            <Icon name="warn" />
            <div className="grow">{problem}</div>
          </div>
        )}
        {data.schedule && <Schedule schedule={data.schedule} />}
        {!data.possible && <p className="small muted">{text.ownTools}</p>}
        {data.possible && !data.schedule && (
          <p className="small muted">
            {text.how} <code className="breaks">{text.setting}</code>
          </p>
        )}
        <KeySaved keyId={keyId} />
      </div>
    </section>
  );
}

function Schedule({ schedule: { address, keep, last } }: { schedule: NonNullable<Backups['schedule']> }) {
  return (
    <dl className="dl">
      <div className="contents">
        <dt>{text.last}</dt>
        <dd title={last ? exactly(last.at) : undefined}>
          {last ? text.made(shortAge(last.at, Date.now()), byteSize(last.bytes)) : text.none}
        </dd>
      </div>
      <div className="contents">
        <dt>{text.where}</dt>
        <dd>
          <code className="breaks">{address}</code>
        </dd>
      </div>
      <div className="contents">
        <dt>{text.kept}</dt>
        <dd className="num">{text.newest(keep)}</dd>
      </div>
    </dl>
  );
}

function problemOf({ possible, schedule }: Backups): string | undefined {
  if (!possible) return undefined;
  if (!schedule) return text.noSchedule;
  if (schedule.failed_at !== null) return text.failed;
  if (!schedule.last) return text.noneYet;
  const ageMs = Date.now() - Date.parse(schedule.last.at);
  return ageMs > 2 * schedule.every_seconds * 1000 ? text.tooOld : undefined;
}
