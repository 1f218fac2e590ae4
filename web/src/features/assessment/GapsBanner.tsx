import { Link } from "@tanstack/react-router";
import type { AssessmentSummary } from "../../api/types";
import { plural } from "../../lib/number";
import { Banner } from "../../ui/Banner";
import styles from "./GapsBanner.module.css";

/** Stays as long as the assessment has gaps: what was not judged is neither good nor bad. */
export function GapsBanner({ summary }: { summary: AssessmentSummary }) {
  if (summary.status !== "completed_with_gaps") return null;
  const { unknown, missingPermissions } = summary.coverage;
  const missing = missingPermissions.length;
  const blind = new Set(missingPermissions.flatMap(({ checkIds }) => checkIds)).size;
  return (
    <Banner
      look="gap"
      title={`${plural(unknown, "check result")} could not be judged.`}
      actions={
        <>
          {missing > 0 && (
            <Link to="/a/$a/settings" params={{ a: summary.account.id }}>
              Create a token that can
            </Link>
          )}
          <Link
            to="/a/$a/r/$r/findings"
            params={{ a: summary.account.id, r: summary.id }}
            search={{ result: "UNKNOWN" }}
          >
            Show what is missing
          </Link>
        </>
      }
    >
      {missing === 0 && "Not everything of the account could be read."}
      {missing > 0 && (
        <details>
          <summary className={styles.fold}>
            The token lacks {plural(missing, "permission")}, so {plural(blind, "check")} saw nothing.
          </summary>
          <ul className={styles.list}>
            {missingPermissions.map(({ permission, checkIds }) => (
              <li key={permission}>
                {permission}{" "}
                <span className="muted" title={checkIds.join(", ")}>
                  ({plural(checkIds.length, "check")})
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Banner>
  );
}
