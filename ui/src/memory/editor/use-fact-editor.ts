import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/call-api.ts';
import type { Fact } from '../../api/generated/rest.ts';
import { drafts } from '../../kit/drafts.ts';
import { changesOf, draftOf, type FactChanges } from './fact-draft.ts';
import { type Draft, draftProblems, fieldOfReason } from './fact-rules.ts';
import { useSaving } from './use-saving.ts';

const PAUSE_MS = 250;
const FIELDS: readonly (keyof Draft)[] = ['key', 'value', 'category', 'tags', 'ttlDays'];

/** What a field of the form needs of the editor. */
export type FactEditorState = ReturnType<typeof useFactEditor>;

export interface FactEditorOptions {
  /** What is edited; undefined for a new fact. */
  fact: Fact | undefined;
  start: Partial<Draft>;
  /** The name its unsaved text is kept under. */
  name: string;
  onSaved(key: string): void;
}

/** The state of the editor: the draft, what is wrong with it, and saving it over the version it started from. */
export function useFactEditor({ fact, start, name, onSaved }: FactEditorOptions) {
  const [startDraft] = useState(() => draftOf(fact, start));
  const [restored] = useState(() => drafts.read<FactChanges>(name));
  const [draft, setDraft] = useState<Draft>(() => ({ ...startDraft, ...restored?.value.changes }));
  const [touched, setTouched] = useState<ReadonlySet<keyof Draft>>(new Set());
  const version = useRef(restored?.value.version ?? fact?.version);
  const { save, conflict } = useSaving({ fact, draft, startDraft, version, name, onSaved });
  const problems = draftProblems(draft);
  const refused = save.error instanceof ApiError ? save.error : undefined;
  const refusedField = refused && fieldOfReason(refused.code, refused.reason);
  const touch = (...fields: readonly (keyof Draft)[]) =>
    setTouched((before) => new Set([...before, ...fields]));
  useTouchOnPause(draft, touch);
  return {
    draft,
    /** When the unsaved text was typed that the editor started with. */
    restoredMs: restored?.atMs,
    touch,
    change<F extends keyof Draft>(field: F, value: Draft[F]) {
      const next = { ...draft, [field]: value };
      setDraft(next);
      const changes = changesOf(next, startDraft);
      if (Object.keys(changes).length === 0) drafts.discard(name);
      else drafts.save(name, { changes, version: version.current } satisfies FactChanges);
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
