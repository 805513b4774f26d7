import type { Space } from '../api/generated/rest.ts';
import { byteSize } from '../health/byte-size.ts';
import { Link } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';

const text = strings.spaces;

/** Each space with one's own role, how much it holds, and what waits for a decision. */
export function SpacesTable({ spaces }: { spaces: readonly Space[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col" className="w-full">
            {text.space}
          </th>
          <th scope="col">{text.yourRole}</th>
          <th scope="col" className="r hide-s">
            {text.facts}
          </th>
          <th scope="col" className="r hide-s">
            {text.size}
          </th>
        </tr>
      </thead>
      <tbody>
        {spaces.map((space) => (
          <tr key={space.id}>
            <td>
              <div className="row wrap">
                <Link to="/spaces" search={{ space: space.slug }} className="font-medium">
                  {space.slug}
                </Link>
                <Waiting space={space} />
                <Link
                  to="/"
                  search={{ space: space.slug }}
                  className="small"
                  aria-label={text.openOf(space.slug)}
                >
                  {text.open}
                </Link>
              </div>
              <div className="small faint only-phone">
                {`${text.factCount(space.usage.facts)} · ${byteSize(space.usage.bytes)}`}
              </div>
            </td>
            <td className="nowrap">
              {space.role === null ? (
                <span className="faint">{text.noRole}</span>
              ) : (
                <span className="chip">{text.roles[space.role]}</span>
              )}
            </td>
            <td className="r num hide-s nowrap">{space.usage.facts.toLocaleString('en')}</td>
            <td className="r num hide-s nowrap">{byteSize(space.usage.bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many proposals wait; only those who may decide get the number. */
function Waiting({ space: { inbox } }: { space: Space }) {
  const count = (inbox?.proposed ?? 0) + (inbox?.quarantined ?? 0);
  return count > 0 && <span className="chip chip-accent">{text.waiting(count)}</span>;
}
