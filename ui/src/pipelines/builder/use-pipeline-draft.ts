import { useEffect, useRef, useState } from 'react';
import type { Pack, PipelineInput } from '../../api/generated/rest.ts';
import { drafts } from '../../kit/drafts.ts';
import type { Problems } from '../../packs/form/check-value.ts';
import { readJson } from '../../packs/form/use-input-draft.ts';
import { checkPipeline, isPipelineShape } from '../check-pipeline.ts';

type Mode = 'form' | 'json';
interface Typed {
  mode: Mode;
  body: PipelineInput;
  json: string;
}

export interface PipelineDraft extends Typed {
  /** All problems, by JSON pointer; invalid JSON has the empty one. */
  problems: Problems;
  /** When it was typed, if that was earlier and it was not saved. */
  restoredMs: number | undefined;
  /** Changes when another definition is loaded, so that no field keeps what it showed. */
  generation: number;
  setBody(update: (before: PipelineInput) => PipelineInput): void;
  setJson(json: string): void;
  /** Switches if the definition can be shown that way; says whether it did. */
  setMode(mode: Mode): boolean;
  /** The definition, if nothing is wrong with it. */
  valid(): PipelineInput | undefined;
  startOver(): void;
  discard(): void;
}

const asJson = (body: PipelineInput) => JSON.stringify(body, null, 2);

/** A definition being edited, as a form or as JSON. Every change is kept until it is saved or discarded. */
export function usePipelineDraft(name: string, first: PipelineInput, packs: readonly Pack[]): PipelineDraft {
  const fresh = (): Typed => ({ mode: 'form', body: first, json: asJson(first) });
  const [restored, setRestored] = useState(() => drafts.read<Typed>(name));
  const [typed, setTyped] = useState<Typed>(() => restored?.value ?? fresh());
  const [generation, setGeneration] = useState(0);
  const changed = useRef(false);
  useEffect(() => {
    if (changed.current) drafts.save(name, typed);
  }, [name, typed]);
  const change = (update: (before: Typed) => Typed) => {
    changed.current = true;
    setTyped(update);
  };
  const read = readJson(typed.json);
  const current = typed.mode === 'form' ? { value: typed.body as unknown } : read;
  const problems =
    'value' in current ? checkPipeline(current.value, packs) : new Map([['', current.problem]]);
  const forget = () => {
    changed.current = false;
    drafts.discard(name);
  };
  return {
    ...typed,
    problems,
    restoredMs: restored?.atMs,
    generation,
    setBody: (update) => change((before) => ({ ...before, body: update(before.body) })),
    setJson: (json) => change((before) => ({ ...before, json })),
    setMode(mode) {
      if (mode === typed.mode) return true;
      if (mode === 'json') setTyped((before) => ({ ...before, mode, json: asJson(before.body) }));
      else if (!('value' in read) || !isPipelineShape(read.value)) return false;
      else setTyped((before) => ({ ...before, mode, body: read.value as PipelineInput }));
      return true;
    },
    valid: () => ('value' in current && problems.size === 0 ? (current.value as PipelineInput) : undefined),
    startOver() {
      forget();
      setRestored(undefined);
      setTyped(fresh());
      setGeneration((before) => before + 1);
    },
    discard: forget,
  };
}
