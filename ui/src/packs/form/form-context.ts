import { createContext, useContext } from 'react';
import type { Evidence } from '../../api/generated/rest.ts';
import type { Problems } from './check-value.ts';

/** What every field of a form knows about the form. */
export interface FormContext {
  /** Only the problems to show now: none for fields that were not visited yet. */
  problems: Problems;
  /** Top-level values that were learned from earlier runs, by JSON pointer. */
  learned: ReadonlyMap<string, { value: string; evidence: Evidence | undefined }>;
  /** Whether a field that is not required is optional; the author of a pipeline may not have declared it. */
  saysOptional: boolean;
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
