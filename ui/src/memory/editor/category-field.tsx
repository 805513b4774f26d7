import { strings } from '../../strings.ts';
import { useFacets } from '../fact-queries.ts';
import { EditorField } from './editor-field.tsx';

interface CategoryFieldProps {
  value: string;
  problem: string | undefined;
  onChange(text: string): void;
}

/** The category, with the existing ones suggested, so that each keeps one spelling. */
export function CategoryField(props: CategoryFieldProps) {
  const known = useFacets({}).data?.categories ?? [];
  return (
    <EditorField id="category" label={strings.editor.category} problem={props.problem}>
      {(field) => (
        <>
          <input
            {...field}
            className={`input ${field['aria-invalid'] ? 'is-bad' : ''}`}
            value={props.value}
            placeholder="user_facts"
            list="categories"
            autoComplete="off"
            onChange={(event) => props.onChange(event.target.value)}
          />
          <datalist id="categories">
            {known.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </EditorField>
  );
}
