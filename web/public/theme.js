// Before the first paint, so that a chosen theme does not flash.
try {
  const chosen = localStorage.getItem('kawaraban.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off; the system's theme is fine then.
}
