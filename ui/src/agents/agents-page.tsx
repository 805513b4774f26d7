import { useEffect } from 'react';
import { useCaller } from '../memory/fact-queries.ts';
import { useRecalls } from '../memory/home/home-queries.ts';
import { RecallRow } from '../memory/home/recall-row.tsx';
import { useLiveEvents } from '../memory/use-live-events.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { PromptCard } from './prompt-card.tsx';
import { StartNotesCard } from './start-notes-card.tsx';

const text = strings.agents;
const MAX_RECALLS = 100;

/** What agents see: the notes a conversation begins with, what a prompt would find, and what they asked. */
export function AgentsPage() {
  const navigate = useNavigate();
  const caller = useCaller();
  useLiveEvents();
  useEffect(() => {
    document.title = `${strings.nav.agents} · ${strings.product}`;
  }, []);
  const open = (key: string) => void navigate({ to: '/', search: { caller, key } });
  const search = (q: string) => void navigate({ to: '/', search: { caller, q } });
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{strings.nav.agents}</h1>
            <p>{text.lead}</p>
          </div>
        </header>
        <div className="g2">
          <div className="stack gap-5">
            <StartNotesCard />
            <PromptCard onOpen={open} />
          </div>
          <RecallsCard onOpen={open} onSearch={search} />
        </div>
      </div>
    </div>
  );
}

interface RecallsCardProps {
  onOpen(key: string): void;
  onSearch(question: string): void;
}

function RecallsCard({ onOpen, onSearch }: RecallsCardProps) {
  const { data, isError } = useRecalls(MAX_RECALLS);
  const nowMs = Date.now();
  return (
    <section className="card">
      <div className="card-head">
        <h2>{text.asked}</h2>
        <span className="small faint">{text.askedFor}</span>
      </div>
      <div className="card-body">
        {isError && <p className="small muted">{text.failed}</p>}
        {data?.recalls.length === 0 && <p className="small muted">{strings.home.noneAsked}</p>}
        <ul className="home-rows agents-log">
          {data?.recalls.map((recall) => (
            <RecallRow
              key={`${recall.at} ${recall.question}`}
              recall={recall}
              nowMs={nowMs}
              onOpen={onOpen}
              onSearch={onSearch}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}
