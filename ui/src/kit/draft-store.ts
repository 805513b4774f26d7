/** What was typed and not sent. */
export interface SavedDraft<T> {
  value: T;
  /** When it was last changed. */
  atMs: number;
  /** The user left it once and was asked; leaving it again does not ask. */
  asked: boolean;
  /** Not written to the storage: it may hold a secret. */
  secret?: boolean;
}

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'helmdeck-draft:';

/**
 * Drafts by name, of one signed-in subject. They are written to `storage` at every change, because a reload or the end
 * of the session gives no warning. Without storage they last as long as the page.
 */
export function createDraftStore(storage: Storage | undefined, now: () => number) {
  let prefix = '';
  let drafts = new Map<string, SavedDraft<unknown>>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const put = (name: string, draft: SavedDraft<unknown>) => {
    drafts.set(name, draft);
    try {
      if (!draft.secret) storage?.setItem(prefix + name, JSON.stringify(draft));
    } catch {
      // The storage is full or blocked; then the draft lasts as long as the page.
    }
    notify();
  };
  return {
    /** Loads the drafts of a subject and deletes those of any other: two people may share a browser. */
    ownedBy(subject: string): void {
      const next = `${PREFIX}${encodeURIComponent(subject)}:`;
      if (next === prefix) return;
      prefix = next;
      drafts = new Map();
      for (const stored of storedNames(storage)) {
        const draft = stored.startsWith(prefix) ? parsed(storage?.getItem(stored)) : undefined;
        if (draft) drafts.set(stored.slice(prefix.length), draft);
        else storage?.removeItem(stored);
      }
    },
    read: <T>(name: string) => drafts.get(name) as SavedDraft<T> | undefined,
    isEmpty: () => drafts.size === 0,
    save(name: string, value: unknown, secret?: boolean): void {
      put(name, { value, atMs: now(), asked: drafts.get(name)?.asked ?? false, secret });
    },
    markAsked(name: string): void {
      const draft = drafts.get(name);
      if (draft) put(name, { ...draft, asked: true });
    },
    discard(name: string): void {
      if (!drafts.delete(name)) return;
      storage?.removeItem(prefix + name);
      notify();
    },
    clear(): void {
      drafts.clear();
      for (const stored of storedNames(storage)) storage?.removeItem(stored);
      notify();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function storedNames(storage: Storage | undefined): string[] {
  const names = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage!.key(index) ?? '');
  return names.filter((name) => name.startsWith(PREFIX));
}

function parsed(text: string | null | undefined): SavedDraft<unknown> | undefined {
  try {
    const draft = JSON.parse(text ?? 'null') as SavedDraft<unknown> | null;
    return typeof draft?.atMs === 'number' ? draft : undefined;
  } catch {
    return undefined;
  }
}
