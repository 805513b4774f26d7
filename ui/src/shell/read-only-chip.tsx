import { strings } from '../strings.ts';

/** Says that the session may look but not change anything. */
export function ReadOnlyChip() {
  return (
    <span className="chip" title={strings.readOnlyHint}>
      {strings.readOnly}
    </span>
  );
}
