import { isOwn } from '../../api/fact-api.ts';
import type { Disagreement } from '../../api/generated/rest.ts';
import { Icon } from '../../kit/icon.tsx';
import { useWhose } from '../../navigation/navigation.tsx';
import { useSession } from '../../session/session-context.ts';
import { strings } from '../../strings.ts';
import { settleLater } from './settling.ts';

const text = strings.home;

interface DisagreementNoteProps {
  disagreement: Disagreement;
  /** The fact that is open already, which needs no link. */
  openKey?: string;
  onOpen(key: string): void;
  onMerge: ((key: string, other: string) => void) | undefined;
}

/** Two facts that contradict each other, with what each says. */
export function DisagreementNote({ disagreement, openKey, onOpen, onMerge }: DisagreementNoteProps) {
  const own = isOwn(useWhose());
  const { scopes } = useSession();
  const mayWrite = own && (scopes.includes('admin') || scopes.includes('memory:write'));
  const [newer, older] = disagreement.facts;
  if (!newer || !older) return null;
  return (
    <div className="note note-warn">
      <Icon name="warn" />
      <div className="grow">
        {[newer, older].map(({ key, says, value }) => (
          <div key={key} className="home-side">
            {key === openKey ? (
              <b className="mono cut">{text.here}</b>
            ) : (
              <button type="button" className="link mono cut" onClick={() => onOpen(key)}>
                {key}
              </button>
            )}
            <b>“{says}”</b>
            <span className="small muted cut" dir="auto">
              {value.slice(0, 120)}
            </span>
          </div>
        ))}
        {mayWrite && (
          <div className="row home-verdict">
            {onMerge && (
              <button type="button" className="link" onClick={() => onMerge(newer.key, older.key)}>
                {text.merge}
              </button>
            )}
            <button type="button" className="link" onClick={() => settleLater(disagreement.id)}>
              {text.bothRight}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
