import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { Space, SpaceGrant, SpaceRole } from '../api/generated/rest.ts';
import { grantSpace, listGrants, revokeGrant } from '../api/space-api.ts';
import { ConfirmDialog } from '../kit/confirm-dialog.tsx';
import { dayOf, exactly } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { SPACES, useChangeSpace } from './space-queries.ts';

const text = strings.spaces;
const ROLES: SpaceRole[] = ['reader', 'proposer', 'writer', 'owner'];

interface MembersCardProps {
  space: Space;
  mayManage: boolean;
}

/** Who has access to a space. Its owners and admins give, change and take back roles here. */
export function MembersCard({ space: { slug }, mayManage }: MembersCardProps) {
  const own = useSession().caller;
  const [leaving, setLeaving] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: [SPACES, 'grants', slug],
    queryFn: () => listGrants(slug),
    staleTime: 0,
  });
  const change = useChangeSpace((input: Parameters<typeof grantSpace>) => grantSpace(...input));
  return (
    <section className="card" aria-label={text.members}>
      <div className="card-head">
        <h2>{text.members}</h2>
      </div>
      {error && (
        <div className="card-body">
          <ProblemNote error={error} title={text.membersFailed} onRetry={() => void refetch()} />
        </div>
      )}
      {change.isError && (
        <div className="card-body">
          <ProblemNote error={change.error} />
        </div>
      )}
      {data && (
        <table className="table">
          <thead>
            <tr>
              <th scope="col" className="w-full">
                {text.member}
              </th>
              <th scope="col">{text.role}</th>
              <th scope="col" className="hide-s">
                {text.until}
              </th>
              <th scope="col">
                <span className="sr">{text.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.grants.map((grant) => (
              <tr key={grant.principal}>
                <td>
                  <Member grant={grant} isOwn={grant.principal === own} />
                </td>
                <td>
                  {mayManage ? (
                    <select
                      className="input space-role"
                      aria-label={text.roleOf(grant.principal)}
                      value={grant.role}
                      disabled={change.isPending}
                      onChange={(event) => {
                        const role = event.target.value as SpaceRole;
                        change.mutate([slug, grant.principal, { role, expires_at: grant.expires_at }]);
                      }}
                    >
                      <RoleOptions />
                    </select>
                  ) : (
                    <span className="chip">{text.roles[grant.role]}</span>
                  )}
                </td>
                <td className="muted nowrap hide-s">{untilOf(grant)}</td>
                <td className="r">
                  {(mayManage || grant.principal === own) && (
                    <button
                      type="button"
                      className="btn btn-ghost btn-s btn-icon"
                      aria-label={text.revokeFrom(grant.principal)}
                      title={text.revokeFrom(grant.principal)}
                      onClick={() => setLeaving(grant.principal)}
                    >
                      <Icon name="close" />
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {mayManage && <GrantForm slug={slug} />}
      {leaving !== undefined && (
        <RevokeDialog slug={slug} principal={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </section>
  );
}

const untilOf = ({ expires_at }: SpaceGrant) => (expires_at === null ? text.forGood : dayOf(expires_at));

function Member({ grant, isOwn }: { grant: SpaceGrant; isOwn: boolean }) {
  return (
    <>
      <div className="row wrap">
        <span className="font-medium">{grant.principal}</span>
        {isOwn && <span className="chip">{text.you}</span>}
      </div>
      <div className="small faint" title={exactly(grant.at)}>
        {text.grantedBy(grant.by, dayOf(grant.at))}
      </div>
      <div className="small faint only-phone">{text.untilLine(untilOf(grant))}</div>
    </>
  );
}

const RoleOptions = () =>
  ROLES.map((role) => (
    <option key={role} value={role}>
      {text.roles[role]}
    </option>
  ));

function GrantForm({ slug }: { slug: string }) {
  const form = useRef<HTMLFormElement>(null);
  const grant = useChangeSpace(
    (input: Parameters<typeof grantSpace>) => grantSpace(...input),
    () => form.current?.reset(),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const field = (name: string) => String(fields.get(name) ?? '').trim();
    const until = field('until');
    // The whole last day counts, as the person sees days.
    const expires_at = until === '' ? null : new Date(`${until}T23:59:59`).toISOString();
    grant.mutate([slug, field('principal'), { role: field('role') as SpaceRole, expires_at }]);
  };
  return (
    <form ref={form} className="card-body stack gap-3" onSubmit={submit}>
      <div className="space-fields">
        <div className="field">
          <label htmlFor="grant-principal">{text.principal}</label>
          <input
            id="grant-principal"
            name="principal"
            className="input"
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby="grant-hint"
          />
        </div>
        <div className="field">
          <label htmlFor="grant-role">{text.role}</label>
          <select id="grant-role" name="role" className="input">
            <RoleOptions />
          </select>
        </div>
        <div className="field">
          <label htmlFor="grant-until">
            <span>
              {text.until} <span className="faint">{text.optional}</span>
            </span>
          </label>
          <input id="grant-until" name="until" type="date" className="input" />
        </div>
        <button type="submit" className="btn btn-primary" disabled={grant.isPending}>
          <Icon name="plus" small />
          {text.grantButton}
        </button>
      </div>
      <p className="small faint" id="grant-hint">
        {text.grantHint}
      </p>
      {grant.isError && <ProblemNote error={grant.error} />}
    </form>
  );
}

function RevokeDialog({ slug, principal, onClose }: { slug: string; principal: string; onClose(): void }) {
  const isOwn = useSession().caller === principal;
  const revoke = useChangeSpace(() => revokeGrant(slug, principal), onClose);
  const act = { ...revoke, mutate: () => revoke.mutate(undefined) };
  const title = isOwn ? text.leaveTitle(slug) : text.revokeTitle(principal);
  return (
    <ConfirmDialog
      title={title}
      yes={isOwn ? text.leave : text.revoke}
      no={text.cancel}
      act={act}
      onClose={onClose}
    >
      <p className="muted">{text.revokeText}</p>
    </ConfirmDialog>
  );
}
