import { useState } from 'react';
import { dayOf } from '../kit/dates.ts';
import { Icon } from '../kit/icon.tsx';
import { strings } from '../strings.ts';

const text = strings.health.backups;
const STORED = 'helmdeck-key-saved';

/** Says that backups need the key file, until the user says that it is saved. A rotated key has to be saved again. */
export function KeySaved({ keyId }: { keyId: string }) {
  const [savedAt, setSavedAt] = useState(() => readSaved(keyId));
  const say = (at: string | undefined) => {
    setSavedAt(at);
    writeSaved(keyId, at);
  };
  const saved = savedAt !== undefined;
  return (
    <div className={`note ${saved ? '' : 'note-warn'}`}>
      <Icon name={saved ? 'check' : 'key'} />
      <div className="grow stack gap-2">
        {saved ? text.keySavedOn(dayOf(savedAt)) : text.key}
        <button
          type="button"
          className={`justify-self-start ${saved ? 'link' : 'btn btn-s'}`}
          onClick={() => say(saved ? undefined : new Date().toISOString())}
        >
          {saved ? text.keyNotSaved : text.keySaved}
        </button>
      </div>
    </div>
  );
}

// In this browser only: the server cannot know where a copy of its key is.
function readSaved(keyId: string): string | undefined {
  try {
    const [of, at] = JSON.parse(localStorage.getItem(STORED) ?? '[]') as string[];
    return of === keyId ? at : undefined;
  } catch {
    return undefined;
  }
}

function writeSaved(keyId: string, at: string | undefined): void {
  try {
    if (at === undefined) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, JSON.stringify([keyId, at]));
  } catch {
    // The storage is blocked; then it is asked again.
  }
}
