import { exactly, minuteOf } from '../kit/dates.ts';
import { strings } from '../strings.ts';
import { type AuditEvent, wordsOf } from './audit-events.ts';

const text = strings.audit;

/** Events of the access audit in words; with `unfolds`, each opens the records as the server keeps them. */
export function AuditTable({
  events,
  unfolds = false,
}: {
  events: readonly AuditEvent[];
  unfolds?: boolean;
}) {
  return (
    <table className="table audit">
      <thead>
        <tr>
          <th scope="col">{text.when}</th>
          <th scope="col" className="w-full">
            {text.what}
          </th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          // By the oldest record: a look that goes on stays the same row.
          <tr key={event.at(-1)!.n}>
            <td className="nowrap muted" title={timesOf(event)}>
              {minuteOf(event[0].at)}
            </td>
            <td>
              {unfolds ? (
                <details>
                  <summary>
                    <Words event={event} />
                  </summary>
                  <Records event={event} />
                </details>
              ) : (
                <Words event={event} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function timesOf(event: AuditEvent): string {
  const [from, to] = [exactly(event.at(-1)!.at), exactly(event[0].at)];
  return from === to ? to : text.between(from, to);
}

function Words({ event }: { event: AuditEvent }) {
  const { who, did } = wordsOf(event);
  return (
    <>
      {who !== undefined && <b className="font-medium">{who}</b>} {did}
    </>
  );
}

function Records({ event }: { event: AuditEvent }) {
  return (
    <ul className="audit-records">
      {event.map(({ n, at, action, detail }) => (
        <li key={n}>
          <span className="num faint">{text.record(n)}</span> <span title={at}>{exactly(at)}</span>{' '}
          <span className="mono">{action}</span> <span className="mono faint">{detail ?? ''}</span>
        </li>
      ))}
    </ul>
  );
}
