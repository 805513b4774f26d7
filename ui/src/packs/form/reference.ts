/** Values that a field can be filled with when the pipeline runs. */
export interface ReferenceGroup {
  label: string;
  items: { label: string; template: string }[];
}

/** Whether a value is a text with a reference such as `${{ inputs.url }}`. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('${{');
