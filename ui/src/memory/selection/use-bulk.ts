import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FacetQuery } from '../../api/fact-api.ts';
import { exportFacts } from '../../api/privacy-api.ts';
import { saveFile } from '../../health/save-file.ts';
import type { Notice } from '../../kit/notices.ts';
import { strings } from '../../strings.ts';
import { bulkWrites, type Refiling } from '../bulk-writes.ts';
import { MEMORY, type Row } from '../fact-queries.ts';
import { noticeWrite } from '../write-notice.ts';
import { matchingFacts } from './select-all.ts';

/** Changes and exports of the selected facts, which are among those that match the query. */
export function useBulk(keys: readonly string[], rows: readonly Row[], query: FacetQuery) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  /** Returns whether it succeeded. */
  const run = async (work: () => Promise<Notice>): Promise<boolean> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      noticeWrite(await work());
      return true;
    } catch (thrown) {
      setProblem(thrown);
      return false;
    } finally {
      setIsBusy(false);
      await queryClient.invalidateQueries({ queryKey: [MEMORY] });
    }
  };
  return {
    isBusy,
    problem,
    change: (change: Refiling) => run(() => bulkWrites().change(keys, change)),
    renew: () => run(async () => bulkWrites().renew(await selectedOf(keys, rows, query))),
    /** The lines of the whole export that are selected: one call, and the format that the import reads. */
    exportThem: () =>
      run(async () => {
        const wanted = new Set(keys);
        const all = await (await exportFacts()).text();
        const lines = all
          .split('\n')
          .filter((line) => line !== '' && wanted.has((JSON.parse(line) as { key: string }).key));
        saveFile(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }), strings.bulk.file);
        return { text: strings.bulk.exported(lines.length) };
      }),
  };
}

/** The selected facts; those that are not loaded are read page by page, not one by one. */
async function selectedOf(keys: readonly string[], rows: readonly Row[], query: FacetQuery) {
  const wanted = new Set(keys);
  const known = rows.filter(({ key }) => wanted.delete(key));
  if (wanted.size === 0) return known;
  const others = await matchingFacts(query, {});
  return [...known, ...others.filter(({ key }) => wanted.has(key))];
}
