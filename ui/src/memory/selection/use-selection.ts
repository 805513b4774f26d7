import { useState } from 'react';

/** The facts that are selected for a bulk action. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return {
    selected,
    toggle(key: string) {
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      });
    },
    add: (...keys: string[]) => setSelected((before) => new Set([...before, ...keys])),
    clear: () => setSelected(new Set()),
  };
}
