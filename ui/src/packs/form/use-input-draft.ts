import { useMemo, useRef, useState } from 'react';
import type { Learned } from '../../api/routing-api.ts';
import { strings } from '../../strings.ts';
import { checkValue, type Problems } from './check-value.ts';
import { type Fields, firstInput } from './first-input.ts';
import type { FormContext } from './form-context.ts';
import type { Schema } from './schema.ts';

export interface InputDraft {
  mode: 'form' | 'json';
  fields: Fields;
  json: string;
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

/** The input being edited, as fields or as JSON; switching between them loses nothing. */
export function useInputDraft(
  schema: Schema,
  learned: Learned | undefined,
  suggested: Fields = {},
): InputDraft {
  const [mode, setModeOnly] = useState<'form' | 'json'>(isOpen(schema) ? 'json' : 'form');
  const [fields, setFields] = useState(() => firstInput(schema, learned?.common_inputs, suggested));
  const [json, setJson] = useState(() => JSON.stringify(fields, null, 2));
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  const first = useRef(fields);
  const known = useMemo(() => learnedPlaces(learned, first.current), [learned]);
  const problems = checkValue(schema, fields);
  const read = readJson(json);
  const asJson = 'value' in read ? linesOf(checkValue(schema, read.value)) : [read.problem];
  return {
    mode,
    fields,
    json,
    jsonProblems: mode === 'json' ? asJson : [],
    usesLearned: mode === 'form' && [...known].some(([place, { value }]) => fields[place.slice(1)] === value),
    context: {
      problems: new Map([...problems].filter(([place]) => tried || isReady(place, touched, fields))),
      learned: known,
      touch: (place) => setTouched((before) => new Set(before).add(place)),
    },
    setFields,
    setJson,
    setMode(next) {
      if (next === mode) return;
      if (next === 'json') setJson(JSON.stringify(fields, null, 2));
      else if (!('value' in read) || !isFields(read.value)) return;
      else setFields(read.value);
      setModeOnly(next);
    },
    validInput() {
      setTried(true);
      if (mode === 'form') return problems.size === 0 ? fields : undefined;
      return 'value' in read && isFields(read.value) && asJson.length === 0 ? read.value : undefined;
    },
  };
}

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
