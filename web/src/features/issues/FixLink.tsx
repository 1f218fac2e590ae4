import { Link } from "@tanstack/react-router";
import type { Issue } from "../../api/types";
import { visible } from "../../lib/visible";
import { useMay } from "../session/queries";
import styles from "./Issues.module.css";
import { effortWord, waits } from "./words";

/** To a plan of exactly this issue where the service makes changes, else to how people close it. */
export function FixLink({ issue, a, r }: { issue: Issue; a: string; r: string }) {
  const { checkId, remediable, state } = issue;
  const may = useMay();
  if (remediable === 0 || !waits(state) || !may("remediator", a)) {
    return (
      <Link to="/a/$a/r/$r/issues/$check" params={{ a, r, check: checkId }} hash="fix" className={styles.how}>
        {effortWord(issue.effort)}
      </Link>
    );
  }
  return (
    <Link
      to="/a/$a/r/$r/remediation"
      params={{ a, r }}
      search={{ check: checkId, now: "yes" }}
      className={styles.button}
      aria-label={`Fix: ${visible(issue.title)}`}
    >
      Fix
    </Link>
  );
}
