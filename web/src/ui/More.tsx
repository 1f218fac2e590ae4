import type { ReactNode } from "react";
import { plural } from "../lib/number";
import { Button } from "./Button";

interface Props {
  onClick: () => void;
  disabled?: boolean;
  /** How many are not shown; absent where nobody has counted. */
  left?: number;
  children: ReactNode;
}

/** Shows more of a list. On paper it says that there is more. */
export function More({ left, ...button }: Props) {
  return (
    <>
      <Button {...button} />
      <p className="on-paper">
        {left === undefined ? "There are older ones." : `${plural(left, "more row", "more rows")}.`} Not printed.
      </p>
    </>
  );
}
