/** Moves focus to the grid of the page, which knows its own keys, or by one row of its tables. */
export function stepRow(by: 1 | -1): void {
  const grid = document.querySelector<HTMLElement>('main [role="grid"][tabindex="0"]');
  if (grid) {
    grid.focus({ preventScroll: true });
    return;
  }
  const rows = [...document.querySelectorAll<HTMLElement>("main tbody tr")].flatMap((row) => {
    const link = row.querySelector<HTMLElement>("a[href]");
    return link?.checkVisibility() ? [{ row, link }] : [];
  });
  const here = rows.findIndex(({ row }) => row.contains(document.activeElement));
  rows[here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by]?.link.focus();
}

export function focusSearch(): boolean {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('main input[type="search"]')];
  const box = boxes.find((one) => one.checkVisibility() && !one.disabled);
  box?.focus();
  box?.select();
  return box !== undefined;
}
