import type { ReactNode } from 'react';
import { strings } from '../strings.ts';

const text = strings.routing;

/** Runs below each other; what the columns are is said to whoever cannot see it at a glance. */
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
