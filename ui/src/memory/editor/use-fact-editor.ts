import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/call-api.ts';
import { readFact, storeFact } from '../../api/fact-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { announce } from '../../shell/announcer.tsx';
import { strings } from '../../strings.ts';
import { saveAdvice } from '../detail/advice-store.ts';
import { MEMORY } from '../fact-queries.ts';
import { draftOf, inputOf } from './fact-draft.ts';
import { type Draft, draftProblems, fieldOfReason } from './fact-rules.ts';

const PAUSE_MS = 250;
const FIELDS: readonly (keyof Draft)[] = ['key', 'value', 'category', 'tags', 'ttlDays'];

/** A newer version of the fact that was stored by another client during the edit. */
export interface Conflict {
  theirs: Fact;
  overwrite(): void;
  keepEditing(): void;
}

/** What a field of the form needs of the editor. */
export type FactEditorState = ReturnType<typeof useFactEditor>;

/** The state of the editor: the draft, what is wrong with it, and saving it over the version it started from. */
export function useFactEditor(fact: Fact | undefined, start: Partial<Draft>, onSaved: (key: string) => void) {
  const [startDraft] = useState(() => draftOf(fact, start));
  const [draft, setDraft] = useState(startDraft);
  const [touched, setTouched] = useState<ReadonlySet<keyof Draft>>(new Set());
  const { save, conflict } = useSaving(draft, startDraft, fact?.version, onSaved);
  const problems = draftProblems(draft);
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const refusedField = refused && fieldOfReason(refused.code, refused.reason);
  const touch = (...fields: readonly (keyof Draft)[]) =>
    setTouched((before) => new Set([...before, ...fields]));
  useTouchOnPause(draft, touch);
  return {
    draft,
    touch,
    change<F extends keyof Draft>(field: F, value: Draft[F]) {
      setDraft((before) => ({ ...before, [field]: value }));
      if (save.isError) save.reset();
    },
    problemOf(field: keyof Draft): string | undefined {
      if (touched.has(field) && problems[field] !== undefined) return problems[field];
      if (!refused || refusedField !== field) return undefined;
      return [refused.message, refused.hint].filter(Boolean).join(' ');
    },
    submit() {
      touch(...FIELDS);
      if (Object.keys(problems).length === 0 && !save.isPending) save.mutate();
    },
    isSaving: save.isPending,
    /** Why the server refused the draft, if no field or conflict shows it. */
    failure: save.isError && !conflict && refusedField === undefined ? save.error : undefined,
    conflict,
  };
}

/** Stores the draft. If another client was faster, both versions are shown, so that neither is lost silently. */
function useSaving(
  draft: Draft,
  startDraft: Draft,
  version: number | undefined,
  onSaved: (key: string) => void,
) {
  const [theirs, setTheirs] = useState<Fact>();
  const baseVersion = useRef(version);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () => storeFact(inputOf(draft, startDraft, baseVersion.current)),
    onSuccess: (result) => {
      saveAdvice(result.key, result);
      announce(strings.editor.saved(result.version));
      void queryClient.invalidateQueries({ queryKey: [MEMORY] });
      onSaved(result.key);
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) setTheirs(await readFact(draft.key.trim(), {}));
    },
  });
  const rebase = (onto: Fact) => {
    baseVersion.current = onto.version;
    setTheirs(undefined);
  };
  const conflict: Conflict | undefined = theirs && {
    theirs,
    overwrite() {
      rebase(theirs);
      save.mutate();
    },
    keepEditing() {
      rebase(theirs);
      save.reset();
    },
  };
  return { save, conflict };
}

/** A field is validated when typing pauses, not at every keystroke. */
function useTouchOnPause(draft: Draft, touch: (...fields: (keyof Draft)[]) => void): void {
  const first = useRef(draft);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the draft restarts the timer
  useEffect(() => {
    const changed = FIELDS.filter((field) => String(draft[field]) !== String(first.current[field]));
    if (changed.length === 0) return;
    const timer = setTimeout(() => touch(...changed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft]);
}
