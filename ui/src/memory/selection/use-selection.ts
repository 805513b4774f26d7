import { useEffect, useRef, useState } from 'react';

type Keyed = readonly { key: string }[];

/** The facts that are selected for a bulk action. Another list (`listId`) starts without a selection. */
export function useSelection(listId: string) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  /** Where a range begins: the row that was selected last. */
  const anchor = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: facts of another list must not be changed unseen
  useEffect(() => setSelected(new Set()), [listId]);
  return {
    selected,
    toggle(key: string) {
      anchor.current = key;
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      });
    },
    /** Adds the rows from the one that was selected last, else from `start`, to this one. */
    extendTo(key: string, rows: Keyed, start: string | undefined) {
      const at = (wanted: string | undefined) => rows.findIndex((row) => row.key === wanted);
      const to = at(key);
      const from = [at(anchor.current), at(start), to].find((index) => index >= 0) ?? 0;
      anchor.current ??= start ?? key;
      const range = rows.slice(Math.min(from, to), Math.max(from, to) + 1).map((row) => row.key);
      setSelected((before) => new Set([...before, ...range]));
    },
    set: (keys: readonly string[]) => setSelected(new Set(keys)),
    clear() {
      anchor.current = undefined;
      setSelected(new Set());
    },
  };
}
