// Dark, light, or as the system has it. What was chosen is kept in the browser.

const KEY = "aicx-theme";
const ORDER = ["system", "light", "dark"];

export function initTheme() {
  apply(kept());
}

// The next theme in turn; returns its name.
export function nextTheme() {
  const next = ORDER[(ORDER.indexOf(currentTheme()) + 1) % ORDER.length];
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing for this page still shows what was chosen.
  }
  apply(next);
  return next;
}

export function currentTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

function kept() {
  try {
    const theme = localStorage.getItem(KEY);
    return ORDER.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}

function apply(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
