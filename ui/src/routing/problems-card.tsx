import type { ActivityBucket } from '../api/generated/rest.ts';
import { Link } from '../navigation/navigation.tsx';
import { useNameOf } from '../pipelines/pipeline-queries.ts';
import { strings } from '../strings.ts';
import { type Range, withoutFilter } from './routing-search.ts';
import { type Problem, problemsOf, slotsOf } from './run-figures.ts';

const text = strings.routing;
const SHOWN = 6;

/** The findings and failures of the range by pack and code, most frequent first. Each leads to its runs. */
export function ProblemsCard({ range, buckets }: { range: Range; buckets: readonly ActivityBucket[] }) {
  const fromMs = slotsOf(buckets, range, Date.now())[0]!.atMs;
  const problems = problemsOf(buckets.filter(({ at }) => Date.parse(at) >= fromMs)).slice(0, SHOWN);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.findings}</h2>
        <span className="small faint">{text.inRange[range]}</span>
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
            {problems.map((problem) => (
              <ProblemRow key={`${problem.kind} ${problem.id} ${problem.code}`} problem={problem} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ProblemRow({ problem: { kind, id, code, count } }: { problem: Problem }) {
  const name = useNameOf()(kind, id);
  const words = wordsOf(strings.outcomes[code] ?? code);
  return (
    <tr>
      <td className="problem">
        <Link
          to="/routing"
          search={(before) => ({ ...withoutFilter(before), of: id, code })}
          className="problem-link"
          title={text.showRuns(`${name} · ${words}`, count)}
        >
          <b className="font-medium">{words}</b>
          <span className="small faint cut">
            <span className={name === id ? 'mono' : ''}>{name}</span> · <span className="mono">{code}</span>
          </span>
        </Link>
      </td>
      <td className="r num">{count.toLocaleString('en')}</td>
    </tr>
  );
}

/** `title_long` reads as "Title long". */
const wordsOf = (code: string) => {
  const words = code.replaceAll(/[_.-]+/g, ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};
