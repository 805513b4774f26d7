import { type FormEvent, useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { useSession } from '../../session/session-context.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import type { MemorySearch } from '../list/memory-search.ts';
import { saveView } from './saved-views.ts';

const text = strings.memory;
const MAX_NAME_CHARS = 60;

/** Asks for the name of a view and saves it. */
export function SaveViewDialog({ search, onClose }: { search: MemorySearch; onClose(): void }) {
  const { caller } = useSession();
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    saveView(caller, name.trim(), search);
    announce(text.viewSaved(name.trim()));
    onClose();
  };
  return (
    <Dialog label={text.saveView} className="dialog" onClose={onClose}>
      <h2>{text.saveView}</h2>
      <form className="stack gap-3" onSubmit={save}>
        <p className="muted">{text.viewsKept}</p>
        <input
          className="input"
          aria-label={text.viewName}
          placeholder={text.viewName}
          value={name}
          maxLength={MAX_NAME_CHARS}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
        <div className="row">
          <span className="grow" />
          <button type="button" className="btn" onClick={onClose}>
            {strings.editor.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={name.trim() === ''}>
            {strings.editor.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
