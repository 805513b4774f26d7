// Runs before the first paint, so that neither the wrong theme nor the wrong frame flashes.
try {
  const theme = localStorage.getItem('helmdeck-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('helmdeck-signed-in') !== null) document.documentElement.dataset.signedIn = '';
} catch {
  // Storage may be blocked; then the system theme applies.
}
