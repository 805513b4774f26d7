import { Icon } from '../kit/icon.tsx';
import { strings } from '../strings.ts';

const STORED = 'helmdeck-theme';

/** Switches the theme. The system theme applies until the user chooses; the choice is stored in this browser. */
export function switchTheme(): void {
  const root = document.documentElement;
  const systemDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const dark = root.dataset.theme === undefined ? systemDark : root.dataset.theme === 'dark';
  root.dataset.theme = dark ? 'light' : 'dark';
  try {
    localStorage.setItem(STORED, root.dataset.theme);
  } catch {
    // Storage may be blocked; then the choice lasts until the page is closed.
  }
}

export function ThemeSwitch() {
  return (
    <button
      type="button"
      className="btn btn-ghost btn-s btn-icon"
      aria-label={strings.theme}
      title={strings.theme}
      onClick={switchTheme}
    >
      <Icon name="sun" />
    </button>
  );
}
