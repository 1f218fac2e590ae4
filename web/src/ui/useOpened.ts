import { useState } from "react";

/** The row that a form is open on. It stays when somebody else deletes it, so that nothing typed is lost. */
export function useOpened<Row extends { id: string }>(
  id: string | undefined,
  rows: readonly Row[] | undefined,
): Row | undefined {
  const [opened, setOpened] = useState<Row>();
  // Without rows everything begins anew, as after somebody else signed in.
  const row = rows && (rows.find((one) => one.id === id) ?? (opened?.id === id ? opened : undefined));
  if (row !== opened) setOpened(row);
  return row;
}
