import { Link } from "@tanstack/react-router";
import type { Issue } from "../../api/types";
import { visible } from "../../lib/visible";
import { ButtonLink } from "../../ui/ButtonLink";
import { useMay } from "../session/queries";
import styles from "./Issues.module.css";
import { effortWord, waits } from "./words";

interface Props {
  issue: Issue;
  a: string;
  r: string;
  look?: "plain" | "primary";
}

/** To a plan of exactly this issue where the service makes changes, else to how people close it. */
export function FixLink({ issue, a, r, look = "plain" }: Props) {
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
    <ButtonLink
      to="/a/$a/r/$r/remediation"
      params={{ a, r }}
      search={{ check: checkId, now: "yes" }}
      aria-label={`Fix: ${visible(issue.title)}`}
      look={look}
    >
      Fix
    </ButtonLink>
  );
}
