import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeFacts, type FactsChange, readFact } from '../../api/fact-api.ts';
import { exportFacts } from '../../api/privacy-api.ts';
import { saveFile } from '../../health/save-file.ts';
import { strings } from '../../strings.ts';
import { MEMORY, type Row } from '../fact-queries.ts';
import { renewalSeconds } from '../list/time-left.ts';
import { noticeWrite } from '../write-notice.ts';

type Change = Omit<FactsChange, 'keys'>;

/** As many as the server changes in one call. */
const BATCH = 500;

/** Changes and exports of the selected facts. */
export function useBulk(keys: readonly string[], rows: readonly Row[]) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async (work: () => Promise<string>) => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      noticeWrite({ text: await work() });
    } catch (thrown) {
      setProblem(thrown);
    } finally {
      setIsBusy(false);
      await queryClient.invalidateQueries({ queryKey: [MEMORY] });
    }
  };
  return {
    isBusy,
    problem,
    change: (change: Change) =>
      run(async () => {
        const { changed, failed } = await changeAll(keys, change);
        return strings.bulk.changed(changed, failed);
      }),
    renew: () =>
      run(async () => {
        let renewed = 0;
        for (const [ttl_seconds, same] of await byLifetime(keys, rows))
          renewed += (await changeAll(same, { ttl_seconds })).changed;
        return strings.memory.renewed(renewed);
      }),
    /** The lines of the whole export that are selected: one call, and the format that the import reads. */
    exportThem: () =>
      run(async () => {
        const wanted = new Set(keys);
        const all = await (await exportFacts()).text();
        const lines = all
          .split('\n')
          .filter((line) => line !== '' && wanted.has((JSON.parse(line) as { key: string }).key));
        saveFile(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }), strings.bulk.file);
        return strings.bulk.exported(lines.length);
      }),
  };
}

async function changeAll(keys: readonly string[], change: Change) {
  let [changed, failed] = [0, 0];
  for (let at = 0; at < keys.length; at += BATCH) {
    const answer = await changeFacts({ ...change, keys: keys.slice(at, at + BATCH) });
    changed += answer.changed;
    failed += answer.failed.length;
  }
  return { changed, failed };
}

/** The keys by the lifetime that a renewal gives them: it never shortens the one that they have. */
async function byLifetime(
  keys: readonly string[],
  rows: readonly Row[],
): Promise<Map<number, readonly string[]>> {
  const known = new Map(rows.map((row) => [row.key, row]));
  const groups = new Map<number, string[]>();
  for (const key of keys) {
    const seconds = renewalSeconds(known.get(key) ?? (await readFact(key, {})), Date.now());
    groups.set(seconds, [...(groups.get(seconds) ?? []), key]);
  }
  return groups;
}
