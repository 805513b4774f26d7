import { useNavigate, useWhose } from '../navigation/navigation.tsx';
import { strings } from '../strings.ts';
import { useGrantedSpaces } from './space-queries.ts';

const text = strings.other;

/** Goes between one's own memory and those of spaces; nothing for people who share none. */
export function MemorySwitcher() {
  const { caller, space } = useWhose();
  const navigate = useNavigate();
  const slugs = useGrantedSpaces().map(({ slug }) => slug);
  // Another caller's memory has a way back of its own.
  if (caller !== undefined || slugs.length === 0) return null;
  // An admin may look into a space without a role.
  const shown = space === undefined || slugs.includes(space) ? slugs : [space, ...slugs];
  return (
    <select
      className="sort"
      aria-label={text.whose}
      value={space ?? ''}
      onChange={(event) => void navigate({ to: '/', search: { space: event.target.value || undefined } })}
    >
      <option value="">{text.mine}</option>
      {shown.map((slug) => (
        <option key={slug} value={slug}>
          {slug}
        </option>
      ))}
    </select>
  );
}
