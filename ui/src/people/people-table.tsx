import type { User } from '../api/generated/rest.ts';
import { byteSize } from '../health/byte-size.ts';
import { exactly } from '../kit/dates.ts';
import { MenuButton, type MenuItem } from '../kit/menu.tsx';
import { shortAge } from '../memory/list/time-left.ts';
import { useNavigate } from '../navigation/navigation.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import type { PersonTask } from './person-dialogs.tsx';

const text = strings.people;

interface PeopleTableProps {
  users: readonly User[];
  onTask(task: PersonTask): void;
}

/** Who has an account, in which state, and how much they keep. */
export function PeopleTable({ users, onTask }: PeopleTableProps) {
  const nowMs = Date.now();
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col" className="w-full">
            {text.person}
          </th>
          <th scope="col" className="r hide-s">
            {text.facts}
          </th>
          <th scope="col" className="r hide-s">
            {text.size}
          </th>
          <th scope="col" className="hide-s">
            {text.lastSeen}
          </th>
          <th scope="col">
            <span className="sr">{text.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            <td>
              <Person user={user} nowMs={nowMs} />
            </td>
            <td className="r num hide-s nowrap">
              {amount(user.usage.facts.toLocaleString('en'), factQuota(user))}
            </td>
            <td className="r num hide-s nowrap">{amount(byteSize(user.usage.bytes), byteQuota(user))}</td>
            <td
              className="muted nowrap hide-s"
              title={user.last_seen_at === null ? undefined : exactly(user.last_seen_at)}
            >
              {seen(user, nowMs)}
            </td>
            <td className="r">
              <PersonMenu user={user} onTask={onTask} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const factQuota = ({ quota }: User) => quota.facts?.toLocaleString('en');
const byteQuota = ({ quota }: User) => (quota.bytes === null ? undefined : byteSize(quota.bytes));
const seen = ({ last_seen_at }: User, nowMs: number) =>
  last_seen_at === null ? text.never : shortAge(last_seen_at, nowMs);

const amount = (used: string, quota: string | undefined) => (
  <>
    {used}
    {quota !== undefined && <div className="small faint">{text.ofQuota(quota)}</div>}
  </>
);

function Person({ user, nowMs }: { user: User; nowMs: number }) {
  const own = useSession().caller === user.subject;
  const { display_name, name, issuer, state, invitation_expires_at: expires } = user;
  const isLate = state === 'invited' && expires !== null && Date.parse(expires) <= nowMs;
  return (
    <>
      <div className="row wrap">
        <span className="font-medium">{display_name ?? name}</span>
        {own && <span className="chip">{text.you}</span>}
        {user.role === 'admin' && <span className="chip chip-accent">{text.roles.admin}</span>}
        {state !== 'active' && (
          <span className={`chip ${state === 'disabled' ? 'chip-warn' : ''}`}>
            {isLate ? text.expired : text.states[state]}
          </span>
        )}
      </div>
      <div className="small faint pre-line">
        {[display_name === null ? [] : name, issuer === undefined ? [] : new URL(issuer).host]
          .flat()
          .join(' · ')}
      </div>
      <div className="small faint only-phone">
        {`${text.factCount(user.usage.facts)} · ${byteSize(user.usage.bytes)} · ${seen(user, nowMs)}`}
      </div>
    </>
  );
}

function PersonMenu({ user, onTask }: { user: User; onTask(task: PersonTask): void }) {
  const navigate = useNavigate();
  const own = useSession().caller === user.subject;
  const item = (label: string, icon: MenuItem['icon'], type: PersonTask['type']): MenuItem => ({
    label,
    icon,
    act: () => onTask({ type, user }),
  });
  const items: MenuItem[] = [
    ...(own
      ? []
      : [
          item(user.role === 'admin' ? text.makeMember : text.makeAdmin, 'people', 'role'),
          user.state === 'disabled'
            ? item(text.enable, 'check', 'enable')
            : item(text.disable, 'lock', 'disable'),
        ]),
    ...(user.issuer === undefined && user.state !== 'disabled' ? [item(text.reset, 'key', 'reset')] : []),
    item(text.quota, 'filter', 'quota'),
    ...(own
      ? []
      : [
          {
            label: text.look,
            icon: 'eye',
            act: () => void navigate({ to: '/', search: { caller: user.subject } }),
          } satisfies MenuItem,
          item(text.remove, 'forget', 'remove'),
        ]),
  ];
  return <MenuButton label={text.actionsFor(user.name)} items={items} />;
}
