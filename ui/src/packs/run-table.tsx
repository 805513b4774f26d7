import type { ReactNode } from 'react';
import { strings } from '../strings.ts';

const text = strings.routing;

/** A table of runs. The column headings are for screen readers only. */
export function RunTable({ withCache, children }: { withCache?: boolean; children: ReactNode }) {
  return (
    <table className="table">
      <thead className="sr-head">
        <tr>
          <th scope="col">{text.outcome}</th>
          <th scope="col">{text.inputs}</th>
          {withCache && (
            <th scope="col" className="hide-s">
              {text.cache}
            </th>
          )}
          <th scope="col" className="r hide-s">
            {text.took}
          </th>
          <th scope="col" className="r">
            {text.when}
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
