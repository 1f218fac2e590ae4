import type { BulkSkipped, ExceptionPreview } from "../../api/types";
import { integer, plural } from "../../lib/number";

/** "Hides 41 findings, 2 critical, on 1 attack path." */
export function hidesWords({ findings, bySeverity, onAttackPaths }: ExceptionPreview): string {
  const severe = (["critical", "high"] as const).flatMap((word) =>
    bySeverity[word] ? [`${integer(bySeverity[word])} ${word}`] : [],
  );
  const on = onAttackPaths > 0 ? `on ${plural(onAttackPaths, "attack path")}` : "on no attack path";
  return `Hides ${[plural(findings, "finding"), ...severe, on].join(", ")}.`;
}

/** "Left out: 3 accepted already, 1 not open." Empty when nothing is. */
export function skippedWords({ accepted, notOpen, unnamed }: BulkSkipped): string {
  const parts = [
    accepted > 0 && `${integer(accepted)} accepted already`,
    notOpen > 0 && `${integer(notOpen)} not open`,
    unnamed > 0 && `${integer(unnamed)} that no exception can name`,
  ].filter(Boolean);
  return parts.length > 0 ? `Left out: ${parts.join(", ")}.` : "";
}
