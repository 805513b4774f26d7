/** The search parameters of the inbox. */
export interface InboxSearch {
  /** Facts that are due for review instead of proposals. */
  show?: 'due';
}

export const readInboxSearch = ({ show }: Record<string, unknown>): InboxSearch =>
  show === 'due' ? { show } : {};
