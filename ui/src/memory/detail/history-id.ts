/** The heading of the history, which a key jumps to. In a file of its own: the history is loaded later than the keys. */
export const HISTORY = 'fact-history';
