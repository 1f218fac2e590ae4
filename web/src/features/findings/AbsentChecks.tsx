import type { ReactNode } from "react";
import { visible } from "../../lib/visible";
import { Empty } from "../../ui/Empty";

interface Props {
  ids: readonly string[];
  action?: ReactNode;
  children?: ReactNode;
}

/** What stands where a list is empty because the run does not have the checks that were asked for. */
export function AbsentChecks({ ids, action, children }: Props) {
  const it = ids.length === 1 ? "it" : "them";
  return (
    <Empty title={`This run has no check ${ids.map(visible).join(", ")}`} action={action}>
      An upgrade withdrew or renamed {it}, the run left {it} out, or the address is mistyped. {children}
    </Empty>
  );
}
