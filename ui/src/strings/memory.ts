const facts = (count: number) => (count === 1 ? '1 fact' : `${count} facts`);

/** The memory page: list, selection and forget. The open fact and its forms are loaded later, and their strings with them. */
const memoryStrings = {
  memory: {
    title: 'Memory',
    forms: { new: 'New fact', edit: 'Edit', merge: 'Merge', home: 'Since your last visit' },
    search: 'Search memory',
    searchPlaceholder: 'Search memory',
    clear: 'Clear search',
    newFact: 'New fact',
    filters: 'Filters',
    closeFilters: 'Close filters',
    facts: 'Facts',
    results: 'Results',
    resultsFor: (q: string) => `Results for ${q}`,
    keys: 'Keys',
    category: 'Category',
    tag: 'Tag',
    project: 'Project',
    source: 'Source',
    changed: 'Changed',
    since: { today: 'Today', week: 'Last 7 days', month: 'Last 30 days' } as Record<string, string>,
    sinceDay: 'Since',
    sinceOf: (day: string) => `Since ${day}`,
    views: 'Views',
    saveView: 'Save view',
    viewName: 'Name of the view',
    viewsKept: 'The search, the filters and the order. Views are kept in this browser.',
    viewSaved: (name: string) => `View ${name} saved`,
    removeView: (name: string) => `Remove view ${name}`,
    weaker: 'Weaker matches',
    remove: (what: string) => `Remove filter ${what}`,
    showAll: (count: number) => `Show all ${count.toLocaleString('en')}`,
    showFewer: 'Show fewer',
    filterNames: 'Filter by name',
    noNames: 'No name fits.',
    expiring: (count: number) => (count === 1 ? '1 expires' : `${count.toLocaleString('en')} expire`),
    thisWeek: 'this week',
    renewAll: 'Renew these',
    sort: 'Order',
    sorts: { updated: 'Newest change', created: 'Newest first', key: 'Key A to Z', expires: 'Expires first' },
    bestMatch: 'Best match',
    found: (shown: number, all: number, ms: number) =>
      `${shown.toLocaleString('en')} of ${all.toLocaleString('en')} in ${ms} ms`,
    foundAbove: (shown: number, all: number, ms: number) =>
      `best ${shown.toLocaleString('en')} of ${all.toLocaleString('en')} in ${ms} ms`,
    filtered: (shown: number, all: number) => `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    total: (all: number) => `${all.toLocaleString('en')} ${all === 1 ? 'fact' : 'facts'}`,
    announceFound: (count: number, more: boolean) =>
      more ? `${count} facts found, and more` : count === 1 ? '1 fact found' : `${count} facts found`,
    announceWeaker: (count: number) => `${count} weaker`,
    weak: 'Nothing here fits well. These are the nearest.',
    unlisted: (key: string) => `${key} is not in this list.`,
    showUnlisted: 'Show it',
    newRows: (count: number) => `${count.toLocaleString('en')} new`,
    degraded: 'Search by meaning did not answer in time; these were found by words.',
    live: 'Live',
    offline: 'Not live',
    keysMove: 'move',
    keysEdit: 'edit',
    keysRenew: 'renew',
    keysForget: 'forget',
    keysSelect: 'select',
    keysHelp: 'keys',
    noneTitle: 'No fact fits',
    noneText: 'Try fewer or other words, or remove a filter.',
    storeThis: 'Store this as a fact',
    clearFilters: 'Clear filters',
    loadFailed: 'The facts could not be loaded.',
    selected: (count: number) => `${count} selected`,
    bulk: 'Selected facts',
    selectRows: 'Select all rows',
    clearSelection: 'Clear selection',
    forgottenOn: (date: string) => `Forgotten on ${date}`,
    restored: (version: number, now: number) => `Restored v${version} as v${now}`,
    restoreFailed: 'The version could not be restored.',
    renewedUntil: (day: string) => `Renewed until ${day}`,
    renewFailed: (count: number) => (count === 1 ? 'Not renewed.' : 'Not all of them were renewed.'),
  },
  undo: {
    one: 'Forgot',
    many: (count: number) => `Forgot ${count} facts`,
    seconds: (count: number) => `${count} s`,
    undo: 'Undo',
    undone: 'Brought back',
    forGood: (count: number) =>
      count === 1
        ? 'Forgotten for good, with its history'
        : `${count} facts forgotten for good, with their history`,
    close: 'Close this message',
    retry: 'Try again',
    undoFailed: 'This could not be undone.',
    changed: (count: number, failed: number) =>
      `${facts(count)} changed${failed > 0 ? `, ${failed} not` : ''}`,
    renewed: (count: number, failed: number) =>
      `Renewed ${facts(count)}${failed > 0 ? `, ${failed} not` : ''}`,
    notRestored: (count: number, all: number) => `${count} of ${facts(all)} stay as they are now.`,
    restored: (count: number, leftAlone: number) => {
      if (leftAlone === 0) return 'Brought back';
      if (count === 0 && leftAlone === 1) return 'Left alone: it was changed since';
      return `Brought back ${facts(count)}; ${leftAlone} changed since ${leftAlone === 1 ? 'was' : 'were'} left alone`;
    },
    changedSince: 'It was changed by another client since.',
    failed: (count: number) => `${facts(count)} could not be forgotten.`,
  },
} as const;

export const { memory, undo } = memoryStrings;
