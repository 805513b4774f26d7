import { useQuery } from '@tanstack/react-query';
import { readAudit } from '../api/privacy-api.ts';
import { exactly, minuteOf } from '../kit/dates.ts';
import { strings } from '../strings.ts';

const text = strings.health;

/** The latest records of the access audit: who looked at whose memory, and what was forgotten. */
export function AuditCard() {
  const records = useQuery({ queryKey: ['audit'], queryFn: readAudit, staleTime: 0 }).data?.records ?? [];
  if (records.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.audit}</h2>
        <span className="small faint">{text.callersNote}</span>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{text.auditWhen}</th>
            <th scope="col">{text.auditAction}</th>
            <th scope="col">{text.auditWho}</th>
            <th scope="col" className="hide-s">
              {text.auditWhose}
            </th>
            <th scope="col" className="hide-s">
              {text.auditDetail}
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ n, at, action, actor, target, detail }) => (
            <tr key={n}>
              <td className="nowrap muted" title={exactly(at)}>
                {minuteOf(at)}
              </td>
              <td className="mono nowrap">{action}</td>
              <td className="cut">{actor}</td>
              <td className="hide-s cut">{target ?? ''}</td>
              <td className="hide-s cut faint">{detail ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
