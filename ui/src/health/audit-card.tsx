import { useQuery } from '@tanstack/react-query';
import { readAudit } from '../api/privacy-api.ts';
import { foldReads } from '../audit/audit-events.ts';
import { AuditTable } from '../audit/audit-table.tsx';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

const text = strings.health;
const SHOWN = 5;
/** Enough for a few events, even if each is a look of several reads. */
const READ = 50;

/** The latest of the access audit, and the way to all of it. */
export function AuditCard() {
  const { data } = useQuery({
    queryKey: ['audit', 'latest'],
    queryFn: ({ signal }) => readAudit({ limit: READ }, signal),
    staleTime: 0,
  });
  if (!data || data.records.length === 0) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{strings.nav.audit}</h2>
        <span className="small faint">{text.callersNote}</span>
        <Link to="/audit" className="btn btn-s ml-auto">
          {text.auditAll}
        </Link>
      </div>
      <AuditTable events={foldReads(data.records).slice(0, SHOWN)} />
    </section>
  );
}
