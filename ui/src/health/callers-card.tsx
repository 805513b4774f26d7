import { useQuery } from '@tanstack/react-query';
import type { CallerCount } from '../api/generated/rest.ts';
import { readCallers } from '../api/privacy-api.ts';
import { exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { shortAge } from '../memory/list/time-left.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

const text = strings.health;

/** The callers, the size of their memory and what they did last. An admin may look at one; that is audited. */
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
          {callers.map((caller) => {
            const { namespace, count } = caller;
            return (
              <tr key={namespace}>
                <td className="cut">
                  {namespace} {namespace === own && <span className="chip">{text.you}</span>}
                  <Activity caller={caller} />
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
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Activity({ caller: { tokens = 0, last_call_at, last_write_at } }: { caller: CallerCount }) {
  const nowMs = Date.now();
  return (
    <div className="small faint pre-line">
      <span title={last_call_at ? exactly(last_call_at) : undefined}>
        {text.tokensAndCall(tokens, last_call_at ? shortAge(last_call_at, nowMs) : undefined)}
      </span>
      {last_write_at && (
        <span title={exactly(last_write_at)}> · {text.lastWrite(shortAge(last_write_at, nowMs))}</span>
      )}
    </div>
  );
}
