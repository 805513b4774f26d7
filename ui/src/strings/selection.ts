/** The actions for selected facts. */
export const bulk = {
  tags: 'Tags',
  category: 'Category',
  export: 'Export',
  file: 'helmdeck-selection.jsonl',
  of: (what: string, count: number) => `${what} of ${count === 1 ? '1 fact' : `${count} facts`}`,
  addTags: 'Add tags',
  removeTags: 'Remove tags',
  selectAll: (count: number) => `Select all ${count.toLocaleString('en')}`,
  exported: (count: number) => (count === 1 ? '1 fact exported' : `${count} facts exported`),
} as const;

export const confirmForget = {
  title: (count: number, caller?: string) =>
    caller === undefined ? `Forget ${count} facts?` : `Forget ${count} facts of ${caller}?`,
  text: 'They are forgotten for good, with their history, after ten seconds in which you can undo. Backups made before still have them.',
  yes: (count: number, caller?: string) =>
    caller === undefined ? `Forget ${count} facts` : `Forget ${count} facts of ${caller}`,
  no: 'Keep them',
} as const;
