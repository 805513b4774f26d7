import { useSyncExternalStore } from 'react';
import { Icon, type IconName } from '../kit/icon.tsx';
import { strings } from '../strings.ts';

const STORED = 'helmdeck-theme';
type Theme = 'system' | 'light' | 'dark';
const ICONS: Record<Theme, IconName> = { system: 'contrast', light: 'sun', dark: 'moon' };
const listeners = new Set<() => void>();

const current = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? 'system';

/** From the theme of the system to the other one, then to the system's own even if the system changes, then back. */
function nextTheme(): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const other = system === 'dark' ? 'light' : 'dark';
  return { system: other, [other]: system, [system]: 'system' }[current()] as Theme;
}

/** Switches the theme; the choice is stored in this browser. */
export function switchTheme(): void {
  const next = nextTheme();
  const root = document.documentElement;
  if (next === 'system') delete root.dataset.theme;
  else root.dataset.theme = next;
  for (const listener of listeners) listener();
  try {
    if (next === 'system') localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, next);
  } catch {
    // Storage may be blocked; then the choice lasts until the page is closed.
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribe, current);
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s btn-icon"
      aria-label={strings.themes[theme]}
      title={strings.themes[theme]}
      onClick={switchTheme}
    >
      <Icon name={ICONS[theme]} />
    </button>
  );
}
