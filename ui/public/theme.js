// Before the first paint: a person who chose a theme never sees the other one flash.
try {
  const theme = localStorage.getItem('helmdeck-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system decides.
}
