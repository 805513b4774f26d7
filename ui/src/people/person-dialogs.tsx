import { type FormEvent, useEffect, useState } from 'react';
import type { Invitation, User } from '../api/generated/rest.ts';
import { changeUser, removeUser, resetUser } from '../api/people-api.ts';
import { keepReceipt } from '../health/kept-receipts.ts';
import { saveReceipt } from '../health/receipt-view.tsx';
import { ConfirmDialog } from '../kit/confirm-dialog.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { ProblemNote } from '../kit/problem-note.tsx';
import { useSession } from '../session/session-context.ts';
import { strings } from '../strings.ts';
import { useChangePerson } from './use-change-person.ts';

const text = strings.people;

/** What an admin is about to do with an account. */
export interface PersonTask {
  type: 'role' | 'disable' | 'enable' | 'reset' | 'quota' | 'remove';
  user: User;
}

interface PersonDialogProps {
  task: PersonTask;
  onInvited(invited: Invitation): void;
  onRemoved(name: string): void;
  onClose(): void;
}

export function PersonDialog({ task: { type, user }, onInvited, onRemoved, onClose }: PersonDialogProps) {
  if (type === 'quota') return <QuotaDialog user={user} onClose={onClose} />;
  if (type === 'remove') return <RemoveDialog user={user} onRemoved={onRemoved} onClose={onClose} />;
  if (type === 'reset') return <ResetDialog user={user} onInvited={onInvited} onClose={onClose} />;
  return <ChangeDialog type={type} user={user} onClose={onClose} />;
}

function ChangeDialog({
  type,
  user,
  onClose,
}: {
  type: 'role' | 'disable' | 'enable';
  user: User;
  onClose(): void;
}) {
  const role = user.role === 'admin' ? 'member' : 'admin';
  const change = useChangePerson(
    () =>
      changeUser(user.id, type === 'role' ? { role } : { state: type === 'disable' ? 'disabled' : 'active' }),
    onClose,
  );
  // Enabling takes nothing away, so it asks nothing.
  const { mutate } = change;
  useEffect(() => {
    if (type === 'enable') mutate();
  }, [type, mutate]);
  if (type === 'enable' && !change.error) return null;
  const [title, yes, about] =
    type === 'role'
      ? [
          text.roleTitle(user.name, role),
          role === 'admin' ? text.makeAdmin : text.makeMember,
          text.roleText[role],
        ]
      : type === 'disable'
        ? [text.disableTitle(user.name), text.disable, text.disableText]
        : [text.enable, text.enable, ''];
  return (
    <ConfirmDialog title={title} yes={yes} no={text.cancel} act={change} onClose={onClose}>
      <p className="muted">{about}</p>
    </ConfirmDialog>
  );
}

function ResetDialog({
  user,
  onInvited,
  onClose,
}: {
  user: User;
  onInvited(invited: Invitation): void;
  onClose(): void;
}) {
  const reset = useChangePerson(
    () => resetUser(user.id),
    (invited) => {
      onInvited(invited);
      onClose();
      scrollTo({ top: 0 });
    },
  );
  return (
    <ConfirmDialog
      title={text.resetTitle(user.name)}
      yes={text.reset}
      no={text.cancel}
      act={reset}
      onClose={onClose}
    >
      <p className="muted">{text.resetText}</p>
    </ConfirmDialog>
  );
}

/** An empty field means the quota of the server. */
const quotaOf = (typed: string) => (typed.trim() === '' ? null : Number(typed));

function QuotaDialog({ user, onClose }: { user: User; onClose(): void }) {
  const [facts, setFacts] = useState(String(user.quota.facts ?? ''));
  const [bytes, setBytes] = useState(String(user.quota.bytes ?? ''));
  const change = useChangePerson(
    () => changeUser(user.id, { quota_facts: quotaOf(facts), quota_bytes: quotaOf(bytes) }),
    onClose,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const field = (id: string, label: string, value: string, set: (typed: string) => void) => (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="number"
        min={1}
        step={1}
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
  return (
    <Dialog label={text.quotaTitle(user.name)} className="dialog" onClose={onClose}>
      <h2>{text.quotaTitle(user.name)}</h2>
      <form className="stack gap-3" onSubmit={submit}>
        <p className="muted">{text.quotaText}</p>
        {field('quota-facts', text.quotaFacts, facts, setFacts)}
        {field('quota-bytes', text.quotaBytes, bytes, setBytes)}
        {change.isError && <ProblemNote error={change.error} />}
        <div className="row mt-2">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={change.isPending}>
            {text.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Erases a memory for good, so it asks for the typed name. */
function RemoveDialog({
  user,
  onRemoved,
  onClose,
}: {
  user: User;
  onRemoved(name: string): void;
  onClose(): void;
}) {
  const [typed, setTyped] = useState('');
  const by = useSession().subject;
  const remove = useChangePerson(
    () => removeUser(user.id),
    ({ receipt }) => {
      saveReceipt(receipt);
      keepReceipt({ by, subject: user.subject, receipt });
      onRemoved(user.name);
      onClose();
    },
  );
  const isSure = typed.trim() === user.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSure) remove.mutate();
  };
  return (
    <Dialog label={text.removeTitle(user.name)} className="dialog" onClose={onClose}>
      <h2>{text.removeTitle(user.name)}</h2>
      <form className="stack gap-3" onSubmit={submit}>
        <p className="muted">{text.removeText}</p>
        <div className="field">
          <label htmlFor="remove-name">
            <span>
              {text.removeType} <span className="mono">{user.name}</span>
            </span>
          </label>
          <input
            id="remove-name"
            className="input"
            value={typed}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        {remove.isError && <ProblemNote error={remove.error} />}
        <div className="row mt-2">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {text.cancel}
          </button>
          <button
            type="submit"
            className={`btn ${isSure ? 'btn-danger-solid' : 'btn-danger'}`}
            disabled={!isSure || remove.isPending}
          >
            {text.removeButton}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
