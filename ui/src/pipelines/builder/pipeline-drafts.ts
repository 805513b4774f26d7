// Unsaved definitions, kept in the tab until they are saved or discarded.

interface SavedDraft<T> {
  value: T;
  atMs: number;
}

const nameOf = (subject: string, name: string) =>
  `helmdeck-draft:${encodeURIComponent(subject)}:pipeline ${name}`;

export function readDraft<T>(subject: string, name: string): T | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(nameOf(subject, name)) ?? 'null') as SavedDraft<T> | null;
    return draft?.value;
  } catch {
    return undefined; // the storage is blocked, or the draft is not ours
  }
}

export function saveDraft(subject: string, name: string, value: unknown): void {
  try {
    sessionStorage.setItem(nameOf(subject, name), JSON.stringify({ value, atMs: Date.now(), asked: false }));
  } catch {
    // The storage is full or blocked; then the draft lasts as long as the page.
  }
}

export function discardDraft(subject: string, name: string): void {
  try {
    sessionStorage.removeItem(nameOf(subject, name));
  } catch {
    // The storage is blocked, so there is nothing to remove.
  }
}
