/** What so many rem are in pixels: readers set the size of their text in the browser, and rows hold text. */
export const rem = (size: number) =>
  Math.round(size * Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
