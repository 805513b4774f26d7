const STORED = 'helmdeck-signed-in';

/** Removes the frame that index.html shows until the app has started, and notes which one fits the next start. */
export function replaceFirstFrame(signedIn: boolean): void {
  document.getElementById('frame')?.remove();
  try {
    if (signedIn) localStorage.setItem(STORED, '');
    else localStorage.removeItem(STORED);
  } catch {
    // Storage may be blocked; then the next start shows the logo.
  }
}
