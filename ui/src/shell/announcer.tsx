import { useSyncExternalStore } from 'react';

let message = '';
const listeners = new Set<() => void>();

/** Announces a text to screen readers, in the one polite live region. */
export function announce(text: string): void {
  message = text;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function LiveRegion() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div className="sr" role="status" aria-live="polite">
      {text}
    </div>
  );
}
