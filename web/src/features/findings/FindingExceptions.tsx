import { Link } from "@tanstack/react-router";
import type { Finding } from "../../api/types";
import { visible } from "../../lib/visible";
import { At } from "../../ui/At";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Skeleton } from "../../ui/Skeleton";
import { useAccepted } from "../exceptions/useAccepted";

/** Which accepted risks are about a finding now. */
export function FindingExceptions({ finding, account }: { finding: Finding; account: string }) {
  const accepted = useAccepted();
  const active = accepted.of(finding, account);
  if (accepted.error) {
    return <ErrorPanel error={accepted.error} what="What is accepted now is not known." onRetry={accepted.retry} />;
  }
  if (!active) return <Skeleton label="Loading the exceptions" rows={1} />;
  return (
    <>
      {active.length === 0 && <p className="muted">None applies now.</p>}
      {active.map(({ id, reason, owner, expiresAt }) => (
        <p key={id}>
          {visible(reason)}{" "}
          <span className="muted">
            Accepted by {visible(owner)},{" "}
            {expiresAt ? (
              <>
                until <At at={expiresAt} />
              </>
            ) : (
              "without an end"
            )}
            .{" "}
          </span>
          <Link to="/exceptions" search={{ exception: id }}>
            Show the exception
          </Link>
        </p>
      ))}
    </>
  );
}
