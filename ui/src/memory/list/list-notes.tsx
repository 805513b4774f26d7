import { readFacets } from '../../api/fact-api.ts';
import { strings } from '../../strings.ts';
import type { MemoryView } from '../use-memory-view.ts';
import { NO_FILTERS } from './memory-search.ts';

const text = strings.memory;
/** A folder up to this size is listed as a whole, with the open fact in it. */
const MAX_FOLDER_FACTS = 100;

/** What the list does not show by itself: weak matches, a fact that is open but not listed. */
export function ListNotes({ view }: { view: MemoryView }) {
  const { list, rows, unlisted, whose } = view;
  const showUnlisted = async (key: string) => {
    const folder = key.slice(0, key.lastIndexOf('/', key.length - 2) + 1);
    const { total } = await readFacets({ prefix: folder }, whose).catch(() => ({ total: Infinity }));
    const prefix = folder !== '' && total <= MAX_FOLDER_FACTS ? folder : key;
    view.change({ ...NO_FILTERS, q: undefined, prefix });
  };
  return (
    <>
      {list.found?.abstained && rows.length > 0 && <p className="list-note">{text.weak}</p>}
      {list.found?.degraded && <p className="list-note">{text.degraded}</p>}
      {unlisted && !list.isPending && !list.isOld && rows.length > 0 && (
        <p className="list-note">
          <span className="cut">{text.unlisted(unlisted.key)}</span>
          <button type="button" className="link-btn" onClick={() => void showUnlisted(unlisted.key)}>
            {text.showUnlisted}
          </button>
        </p>
      )}
    </>
  );
}
