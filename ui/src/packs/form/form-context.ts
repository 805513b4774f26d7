import { createContext, useContext } from 'react';
import type { Evidence } from '../../api/generated/rest.ts';
import type { Problems } from './check-value.ts';

/** What every field of a form knows of the whole. */
export interface FormContext {
  /** Only what a person should see now: not of fields they have not come to yet. */
  problems: Problems;
  /** Values of the uppermost fields that came from earlier runs, by place. */
  learned: ReadonlyMap<string, { value: string; evidence: Evidence | undefined }>;
  /** Whether what is not required is known to be optional; the author of a pipeline need not say. */
  saysOptional: boolean;
  /** Somebody has been in the field. */
  touch(place: string): void;
}

export const FormState = createContext<FormContext>({
  problems: new Map(),
  learned: new Map(),
  saysOptional: true,
  touch: () => {},
});

export const useFormState = () => useContext(FormState);
