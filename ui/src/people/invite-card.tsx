import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { Invitation, Role } from '../api/generated/rest.ts';
import { addUser } from '../api/people-api.ts';
import { copyText } from '../kit/copy-text.ts';
import { minuteOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { strings } from '../strings.ts';
import { USERS } from './use-change-person.ts';

const text = strings.people;
const ROLES: Role[] = ['member', 'admin'];

interface InviteCardProps {
  /** The last invitation, also one that resets a password. */
  invited: Invitation | undefined;
  onInvited(invited: Invitation | undefined): void;
}

/** Adds an account, and shows the link that the person needs. */
export function InviteCard({ invited, onInvited }: InviteCardProps) {
  const queryClient = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: (fields: FormData) => {
      const field = (name: string) => String(fields.get(name) ?? '').trim();
      const displayName = field('display-name');
      return addUser({
        name: field('name'),
        role: field('role') as Role,
        ...(displayName === '' ? {} : { display_name: displayName }),
      });
    },
    onSuccess: (answer) => {
      form.current?.reset();
      onInvited(answer);
      void queryClient.invalidateQueries({ queryKey: USERS });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(new FormData(event.currentTarget));
  };
  return (
    <section className="card" aria-label={text.invite}>
      <div className="card-head">
        <h2>{text.invite}</h2>
      </div>
      <form ref={form} className="card-body stack gap-3" onSubmit={submit}>
        <p className="small faint" id="person-name-hint">
          {text.nameHint}
        </p>
        <div className="people-fields">
          <div className="field">
            <label htmlFor="person-name">{text.name}</label>
            <input
              id="person-name"
              name="name"
              className="input"
              required
              maxLength={64}
              pattern="[A-Za-z0-9][A-Za-z0-9._@+\-]*"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-describedby="person-name-hint"
            />
          </div>
          <div className="field">
            <label htmlFor="person-display-name">
              <span>
                {text.displayName} <span className="faint">{text.optional}</span>
              </span>
            </label>
            <input
              id="person-display-name"
              name="display-name"
              className="input"
              maxLength={128}
              autoComplete="off"
            />
          </div>
          <div className="field">
            <label htmlFor="person-role">{text.role}</label>
            <select id="person-role" name="role" className="input">
              {ROLES.map((role) => (
                <option key={role} value={role}>
                  {text.roles[role]}
                </option>
              ))}
            </select>
          </div>
          <button type="submit" className="btn btn-primary" disabled={add.isPending}>
            <Icon name="link" small />
            {text.inviteButton}
          </button>
        </div>
        {add.isError && <ProblemNote error={add.error} />}
      </form>
      {invited && (
        <InvitationLink key={invited.invitation.url} invited={invited} onClose={() => onInvited(undefined)} />
      )}
    </section>
  );
}

function InvitationLink({ invited, onClose }: { invited: Invitation; onClose(): void }) {
  const [copied, setCopied] = useState<boolean>();
  const { user, invitation } = invited;
  const label = text.linkFor(user.name);
  return (
    <div className="card-body stack gap-2 invitation-link" role="status">
      <label htmlFor="invitation-link" className="font-medium">
        {label}
      </label>
      <div className="row">
        <input
          id="invitation-link"
          className="input mono grow"
          readOnly
          value={invitation.url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button
          type="button"
          className="btn btn-primary nowrap"
          onClick={() => void copyText(invitation.url).then(setCopied)}
        >
          <Icon name={copied ? 'check' : 'copy'} small />
          {copied ? text.copied : text.copy}
        </button>
        <button
          type="button"
          className="btn btn-ghost btn-icon"
          aria-label={text.close}
          title={text.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      <p className="hint">
        {copied === false ? text.notCopied : text.linkHint(minuteOf(invitation.expires_at))}
      </p>
    </div>
  );
}
