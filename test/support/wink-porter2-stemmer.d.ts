declare module 'wink-porter2-stemmer' {
  /** The Porter 2 (Snowball English) stem of a word. */
  function stem(word: string): string;
  export = stem;
}
