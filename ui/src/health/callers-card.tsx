import { useQuery } from '@tanstack/react-query';
import { readCallers } from '../api/privacy-api.ts';
import { Icon } from '../kit/icon.tsx';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

const text = strings.health;

/** The callers and the size of their memory. An admin may look at one; that is audited. */
export function CallersCard({ own }: { own: string }) {
  const callers = useQuery({ queryKey: ['callers'], queryFn: readCallers }).data?.callers ?? [];
  if (callers.every(({ namespace }) => namespace === own)) return null;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.callers}</h2>
        <span className="small faint">{text.callersNote}</span>
      </div>
      <table className="table">
        <thead>
          <tr>
            <th scope="col" className="w-full">
              {text.caller}
            </th>
            <th scope="col" className="r">
              {text.entries}
            </th>
            <th scope="col">
              <span className="sr">{text.look}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {callers.map(({ namespace, count }) => (
            <tr key={namespace}>
              <td className="cut">
                {namespace} {namespace === own && <span className="chip">{text.you}</span>}
              </td>
              <td className="r num">{count.toLocaleString('en')}</td>
              <td className="r">
                {namespace !== own && (
                  <Link
                    to="/"
                    search={{ caller: namespace }}
                    className="btn btn-s"
                    aria-label={text.lookAt(namespace)}
                  >
                    <Icon name="eye" small />
                    {text.look}
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
