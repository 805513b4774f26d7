import { useMemo, useState } from 'react';
import type { Learned } from '../../api/routing-api.ts';
import { drafts } from '../../kit/drafts.ts';
import { strings } from '../../strings.ts';
import { checkValue, type Problems } from './check-value.ts';
import { type Fields, firstInput } from './first-input.ts';
import type { FormContext } from './form-context.ts';
import type { KeptInput } from './kept-input.ts';
import type { Schema } from './schema.ts';

interface Typed {
  mode: 'form' | 'json';
  fields: Fields;
  json: string;
}

export interface InputDraft extends Typed {
  /** When it was typed, if that was earlier and it was not sent. */
  restoredMs: number | undefined;
  /** The problem of the JSON as a whole. */
  jsonProblems: readonly string[];
  context: Omit<FormContext, 'saysOptional'>;
  /** Whether some value still is one that was learned from earlier runs. */
  usesLearned: boolean;
  setFields(fields: Fields): void;
  setJson(json: string): void;
  setMode(mode: 'form' | 'json'): void;
  /** Returns the input if it is valid; otherwise shows everything that is wrong with it. */
  validInput(): Fields | undefined;
}

interface InputDraftOptions {
  schema: Schema;
  learned: Learned | undefined;
  suggested: Fields | undefined;
  kept: KeptInput;
}

const asText = (fields: Fields) => JSON.stringify(fields, null, 2);

/** The input being edited, as fields or as JSON; neither switching between them nor leaving the page loses it. */
export function useInputDraft({ schema, learned, suggested, kept }: InputDraftOptions): InputDraft {
  const [start] = useState<Typed>(() => {
    const fields = firstInput(schema, learned?.common_inputs, suggested);
    return { mode: isOpen(schema) ? 'json' : 'form', fields, json: asText(fields) };
  });
  const [restored] = useState(() => drafts.read<Typed>(kept.name));
  const [typed, setTyped] = useState(restored?.value ?? start);
  const { mode, fields, json } = typed;
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const known = useMemo(() => learnedPlaces(learned, start.fields), [learned, start]);
  const problems = checkValue(schema, fields);
  const read = readJson(json);
  const asJson = 'value' in read ? linesOf(checkValue(schema, read.value)) : [read.problem];
  const change = (changes: Partial<Typed>) => {
    const next = { ...typed, ...changes };
    setTyped(next);
    if (inputText(next) === inputText(start)) drafts.discard(kept.name);
    else drafts.save(kept.name, next, kept.secret);
  };
  return {
    ...typed,
    restoredMs: restored?.atMs,
    jsonProblems: mode === 'json' ? asJson : [],
    usesLearned: mode === 'form' && [...known].some(([place, { value }]) => fields[place.slice(1)] === value),
    context: {
      problems: new Map([...problems].filter(([place]) => tried || isReady(place, touched, fields))),
      learned: known,
      touch: (place) => setTouched((before) => new Set(before).add(place)),
    },
    setFields: (next) => change({ fields: next }),
    setJson: (next) => change({ json: next }),
    setMode(next) {
      if (next === mode) return;
      if (next === 'json') change({ mode: next, json: asText(fields) });
      else if ('value' in read && isFields(read.value)) change({ mode: next, fields: read.value });
    },
    validInput() {
      setTried(true);
      if (mode === 'form') return problems.size === 0 ? fields : undefined;
      return 'value' in read && isFields(read.value) && asJson.length === 0 ? read.value : undefined;
    },
  };
}

const inputText = ({ mode, fields, json }: Typed) => (mode === 'form' ? asText(fields) : json);

/** Whether the schema takes any object and names no field: there is no form for that. */
const isOpen = ({ properties = {}, additionalProperties }: Schema) =>
  Object.keys(properties).length === 0 && additionalProperties !== false;

/** A missing field is reported only after it was visited. */
const isReady = (place: string, touched: ReadonlySet<string>, fields: Fields) =>
  touched.has(place) || valueAt(fields, place) !== undefined;

function valueAt(fields: Fields, place: string): unknown {
  let value: unknown = fields;
  for (const name of place.split('/').slice(1)) value = (value as Fields | undefined)?.[name];
  return value;
}

function learnedPlaces(learned: Learned | undefined, first: Fields): FormContext['learned'] {
  const used = Object.entries(learned?.common_inputs ?? {}).filter(([name, value]) => first[name] === value);
  return new Map(used.map(([name, value]) => [`/${name}`, { value, evidence: learned?.evidence?.[name] }]));
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readJson(json: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(json) };
  } catch (thrown) {
    return { problem: strings.packForm.badJson((thrown as Error).message) };
  }
}

const linesOf = (problems: Problems) =>
  [...problems].map(([place, problem]) => (place === '' ? problem : `${place.slice(1)}: ${problem}`));
