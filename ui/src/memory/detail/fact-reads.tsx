import { exactly } from '../../kit/dates.ts';
import { strings } from '../../strings.ts';
import { useRecalls } from '../home/home-queries.ts';
import { RecallRow } from '../home/recall-row.tsx';
import { shortAge } from '../list/time-left.ts';
import { useSourceName } from './use-source-name.ts';

const text = strings.detail;
const SHOWN_RECALLS = 5;

interface FactReadsProps {
  factKey: string;
  onSearch(question: string): void;
}

/** Which agents were given this fact, and for which questions. Absent if the log has none. */
export function FactReads({ factKey, onSearch }: FactReadsProps) {
  const recalls = useRecalls(SHOWN_RECALLS, factKey).data?.recalls ?? [];
  const nameOf = useSourceName();
  const nowMs = Date.now();
  const [last] = recalls;
  if (!last) return null;
  return (
    <section>
      <div className="section-h">
        <h3>{text.reads}</h3>
        <span className="small faint cut" title={exactly(last.at)}>
          {text.readBy(nameOf(last.source), shortAge(last.at, nowMs))}
        </span>
      </div>
      <ul className="home-rows">
        {recalls.map((recall) => (
          <RecallRow
            key={`${recall.at} ${recall.question}`}
            recall={recall}
            nowMs={nowMs}
            onSearch={onSearch}
          />
        ))}
      </ul>
    </section>
  );
}
