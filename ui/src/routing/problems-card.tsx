import type { ActivityBucket, Defaults } from '../api/generated/rest.ts';
import { strings } from '../strings.ts';
import type { Range } from './routing-search.ts';
import { problemsOf, SPAN_MS } from './run-figures.ts';

const text = strings.routing;
const SHOWN = 6;

interface ProblemsCardProps {
  range: Range;
  buckets: readonly ActivityBucket[];
  defaults: Defaults;
}

/** The findings and failures, most frequent first. */
export function ProblemsCard({ range, buckets, defaults }: ProblemsCardProps) {
  const fromMs = Date.now() - SPAN_MS[range];
  const within = buckets.filter(({ at }) => Date.parse(at) >= fromMs);
  const problems = problemsOf(within, defaults).slice(0, SHOWN);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.findings}</h2>
        <span className="small faint">{text.byCode}</span>
      </div>
      {problems.length === 0 ? (
        <p className="card-body muted">{text.noFindings}</p>
      ) : (
        <table className="table">
          <thead className="sr-head">
            <tr>
              <th scope="col">{text.finding}</th>
              <th scope="col">{text.count}</th>
            </tr>
          </thead>
          <tbody>
            {problems.map(({ code, pack, count, severity }) => (
              <tr key={`${code} ${severity}`}>
                <td className="problem">
                  <b className="font-medium">{strings.outcomes[code] ?? wordsOf(code)}</b>
                  <div className="small faint mono cut">
                    {pack === undefined ? code : `${pack} · ${code}`}
                  </div>
                </td>
                <td className="r num">{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** `title_long` reads as "Title long". */
const wordsOf = (code: string) => {
  const words = code.replaceAll(/[_.-]+/g, ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};
