import { useSyncExternalStore } from 'react';

const STORED = 'helmdeck-letter-keys';
const listeners = new Set<() => void>();
let on = read();

function read(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    // Storage may be forbidden; then they are on.
    return true;
  }
}

/** Whether single letters do something: people who dictate, or whose hands shake, switch them off. */
export const letterKeysOn = () => on;

export function setLetterKeys(next: boolean): void {
  on = next;
  try {
    localStorage.setItem(STORED, next ? 'on' : 'off');
  } catch {
    // The choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useLetterKeys = () => useSyncExternalStore(subscribe, letterKeysOn);
