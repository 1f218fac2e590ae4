const ITEM = "edgeposture.shortcuts";

/** Whether single keys do something; on until somebody switches them off. */
export function shortcutsOn(): boolean {
  const { shortcuts } = document.documentElement.dataset;
  if (shortcuts !== undefined) return shortcuts === "on";
  try {
    return localStorage.getItem(ITEM) !== "off";
  } catch {
    return true;
  }
}

export function switchShortcuts(on: boolean): void {
  const word = on ? "on" : "off";
  document.documentElement.dataset.shortcuts = word;
  try {
    localStorage.setItem(ITEM, word);
  } catch {
    // Storage can be forbidden; the choice then lasts until the page is left.
  }
}
