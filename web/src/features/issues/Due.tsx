import type { Issue } from "../../api/types";

/** The day by which an issue is to be closed, and whether it has passed. */
export function Due({ due, overdue }: Pick<Issue, "due" | "overdue">) {
  return (
    <>
      {due && <time dateTime={due}>{due}</time>} {overdue && <strong>Overdue</strong>}
    </>
  );
}
