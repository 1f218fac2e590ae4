import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { Banner } from "../../ui/Banner";
import styles from "./GapsBanner.module.css";

/** Stays as long as the assessment has gaps: what was not judged is neither good nor bad. */
export function GapsBanner({ summary }: { summary: AssessmentSummary }) {
  if (summary.status !== "completed_with_gaps") return null;
  const { unknown, missingPermissions } = summary.coverage;
  return (
    <Banner
      look="gap"
      title={`${plural(unknown, "check result")} could not be judged.`}
      actions={
        <Link to="/a/$a/r/$r/findings" params={{ a: summary.account.id, r: summary.id }} search={{ result: "UNKNOWN" }}>
          Show what is missing
        </Link>
      }
    >
      {missingPermissions.length > 0 ? "The token lacks:" : "Not everything of the account could be read."}
      {missingPermissions.length > 0 && (
        <ul className={styles.list}>
          {missingPermissions.map(({ permission, checkIds }) => (
            <li key={permission}>
              {permission} <span className={styles.muted}>({checkIds.join(", ")})</span>
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
