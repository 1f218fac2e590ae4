export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const ITEM = "edgeposture.theme";

export function currentTheme(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Applies a theme at once; public/theme.js applies it before the first paint of later loads. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(ITEM, theme);
  } catch {
    // Storage can be forbidden; the choice then lasts until the page is left.
  }
}
