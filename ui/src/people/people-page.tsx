import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Invitation } from '../api/generated/rest.ts';
import { listUsers } from '../api/people-api.ts';
import { may } from '../api/session-api.ts';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { InviteCard } from './invite-card.tsx';
import { PeopleTable } from './people-table.tsx';
import { PersonDialog, type PersonTask } from './person-dialogs.tsx';
import { USERS } from './use-change-person.ts';

const text = strings.people;

/** The accounts of the server, for admins. */
export function PeoplePage() {
  const mayManage = may(useSession(), 'admin');
  useEffect(() => {
    document.title = `${strings.nav.people} · ${strings.product}`;
  }, []);
  return (
    <div className="page">
      <div className="page-in">
        <header className="page-head">
          <div>
            <h1>{strings.nav.people}</h1>
            <p>{mayManage ? text.lead : text.adminsOnly}</p>
          </div>
        </header>
        {mayManage && <Accounts />}
      </div>
    </div>
  );
}

function Accounts() {
  const [invited, setInvited] = useState<Invitation>();
  const [task, setTask] = useState<PersonTask>();
  const [removed, setRemoved] = useState<string>();
  const { data, error, refetch } = useQuery({ queryKey: USERS, queryFn: listUsers, staleTime: 0 });
  return (
    <>
      <InviteCard invited={invited} onInvited={setInvited} />
      {error && <ProblemNote error={error} title={text.failed} onRetry={() => void refetch()} />}
      {removed !== undefined && (
        <p className="note" role="status">
          {text.removed(removed)}
        </p>
      )}
      {data && (
        <section className="card" aria-label={text.accounts}>
          {data.users.length === 0 ? (
            <p className="card-body muted">{text.none}</p>
          ) : (
            <PeopleTable users={data.users} onTask={setTask} />
          )}
        </section>
      )}
      {task && (
        <PersonDialog
          task={task}
          onInvited={setInvited}
          onRemoved={setRemoved}
          onClose={() => setTask(undefined)}
        />
      )}
    </>
  );
}
