import { createContext, useContext } from 'react';
import type { Evidence } from '../../api/generated/rest.ts';
import type { Problems } from './check-value.ts';
import type { ReferenceGroup } from './reference.ts';
import type { Schema } from './schema.ts';

/** What every field of a form knows about the form. */
export interface FormContext {
  /** Only the problems to show now: none for fields that were not visited yet. */
  problems: Problems;
  /** Top-level values that were learned from earlier runs, by JSON pointer. */
  learned: ReadonlyMap<string, { value: string; evidence: Evidence | undefined }>;
  /** Whether a field that is not required is optional; the author of a pipeline may not have declared it. */
  saysOptional: boolean;
  /** What a field can be filled with when a pipeline runs; only in the form of a step. */
  references?: readonly ReferenceGroup[];
  /** Adds an input to the pipeline for a field, and returns the reference to it. */
  addInput?(name: string, schema: Schema): string;
  /** Marks a field as visited. */
  touch(place: string): void;
}

export const FormState = createContext<FormContext>({
  problems: new Map(),
  learned: new Map(),
  saysOptional: true,
  touch: () => {},
});

export const useFormState = () => useContext(FormState);
