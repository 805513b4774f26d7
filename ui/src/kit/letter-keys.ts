import { useSyncExternalStore } from 'react';

const STORED = 'helmdeck-letter-keys';
const listeners = new Set<() => void>();
let on = read();

function read(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    // Storage may be blocked; then they are on.
    return true;
  }
}

/** Whether single-letter shortcuts are on. People who dictate, or whose hands shake, turn them off (WCAG 2.1.4). */
export const letterKeysOn = () => on;

export function setLetterKeys(next: boolean): void {
  on = next;
  try {
    localStorage.setItem(STORED, next ? 'on' : 'off');
  } catch {
    // Then the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useLetterKeys = () => useSyncExternalStore(subscribe, letterKeysOn);
