import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { ApiError } from '../../api/call-api.ts';
import { patchFact, readFact, storeFact } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { drafts } from '../../kit/drafts.ts';
import type { Notice } from '../../kit/notices.ts';
import { useNavigate } from '../../navigation/navigation.tsx';
import { strings } from '../../strings.ts';
import { MEMORY } from '../fact-queries.ts';
import { forgetStored, putBack, refiled, restoreFiling } from '../undo-writes.ts';
import { noticeWrite } from '../write-notice.ts';
import { changesOf, draftName, type FactChanges, inputOf, patchOf } from './fact-draft.ts';
import type { Draft } from './fact-rules.ts';

const text = strings.editor;

/** The fact as it is stored now, if another client stored or forgot it during the edit. */
export interface Conflict {
  /** Undefined: it was forgotten. */
  theirs: Fact | undefined;
  overwrite(): void;
  keepEditing(): void;
}

interface SavingOptions {
  fact: Fact | undefined;
  draft: Draft;
  startDraft: Draft;
  /** The version the draft was made on; undefined: it must be a new fact. */
  version: RefObject<number | undefined>;
  name: string;
  onSaved(key: string): void;
}

/** Stores the draft. If another client was faster, both versions are shown, so that neither is lost silently. */
export function useSaving({ fact, draft, startDraft, version, name, onSaved }: SavingOptions) {
  const [met, setMet] = useState<{ theirs: Fact | undefined }>();
  const queryClient = useQueryClient();
  const restart = useRestart();
  const send = async (): Promise<Notice & { key: string }> => {
    const changes = changesOf(draft, startDraft);
    const patch = fact && version.current !== undefined ? patchOf(changes) : undefined;
    if (fact && patch) {
      const named = Object.entries(text.changed).filter(([field]) => field in changes);
      if (named.length === 0) return { text: text.unchanged, key: fact.key };
      const after = await patchFact(fact.key, patch);
      const what = named.map(([, label]) => label).join(', ');
      const undo = () => restoreFiling([refiled(fact, after)]);
      return { text: text.savedOnly(what), key: fact.key, undo };
    }
    const before = met?.theirs ?? fact;
    const answer = await storeFact(inputOf(draft, startDraft, version.current));
    const { key } = answer;
    if (answer.created)
      return { text: text.stored, key, undo: () => forgetStored(key).then(() => restart(draft)) };
    return { text: text.saved(answer.version), key, undo: before && (() => putBack(before, answer.version)) };
  };
  const save = useMutation({
    mutationFn: send,
    onSuccess: (notice) => {
      drafts.discard(name);
      noticeWrite(notice);
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
      onSaved(notice.key);
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || (error.status !== 412 && error.status !== 404)) return;
      setMet(await storedNow(draft.key.trim()));
    },
  });
  const rebase = (onto: Fact | undefined) => {
    version.current = onto?.version;
    setMet(undefined);
    const changes = changesOf(draft, startDraft);
    drafts.save(name, { changes, version: onto?.version } satisfies FactChanges);
  };
  const conflict: Conflict | undefined = met && {
    theirs: met.theirs,
    overwrite() {
      rebase(met.theirs);
      save.mutate();
    },
    keepEditing() {
      rebase(met.theirs);
      save.reset();
    },
  };
  return { save, conflict };
}

/** The fact after a refused write; undefined if it could not be read, and then only the refusal is shown. */
async function storedNow(key: string): Promise<{ theirs: Fact | undefined } | undefined> {
  try {
    return { theirs: await readFact(key, {}) };
  } catch (thrown) {
    return thrown instanceof ApiError && thrown.status === 404 ? { theirs: undefined } : undefined;
  }
}

/** Opens the form of a new fact with what was typed for one that was undone, so that undo loses no text. */
function useRestart() {
  const navigate = useNavigate();
  return (draft: Draft) => {
    const key = draft.key.trim();
    drafts.save(draftName.newFact(key), { changes: draft } satisfies FactChanges);
    void navigate({ to: '/', search: { mode: 'new', key } });
  };
}
