import { Link } from "@tanstack/react-router";
import { keyRing } from "../api/client";
import { asProblem, refusedWith } from "../api/errors";
import { plural } from "../lib/number";
import { visible } from "../lib/visible";
import { Button } from "./Button";
import { Empty } from "./Empty";
import styles from "./ErrorPanel.module.css";

interface Props {
  error: unknown;
  /** What could not be done, for the heading. */
  what: string;
  /** Whether it only asked, also by POST, or may be sent again without making anything twice. */
  asked?: boolean;
  onRetry?: (() => void) | undefined;
}

export function ErrorPanel({ error, what: failed, asked = false, onRetry }: Props) {
  const problem = asProblem(error);
  const what = problem.unsure && !asked ? "It may have been done, or not: look before you send it again." : failed;
  const retry = () => {
    keyRing.askAgain();
    onRetry?.();
  };
  // Asked again it would be refused again.
  if (problem.code === "forbidden" && onRetry) {
    return (
      <div role="alert">
        <Empty title="No permission">
          {what} {visible(problem.detail)}
        </Empty>
      </div>
    );
  }
  // So is what the address names.
  if (problem.fields.some(({ location }) => location === "query.account")) {
    return (
      <div role="alert">
        <Empty title="There is no such account" action={<Link to="/">Registered accounts</Link>}>
          The address names an account that is not here, or that you may not see.
        </Empty>
      </div>
    );
  }
  return (
    <section className={styles.panel} role="alert" aria-label={what}>
      <p className={styles.title}>
        <strong>{what}</strong> {problem.title}
        {problem.status > 0 && <span className="muted"> ({problem.status})</span>}
      </p>
      <p>{visible(problem.detail)}</p>
      {problem.fields.length > 0 && (
        <ul className={styles.fields}>
          {problem.fields.map((field) => (
            <li key={`${field.location} ${field.message}`}>
              <code>{field.location}</code> {visible(field.message)}
            </li>
          ))}
        </ul>
      )}
      {problem.retryAfterSeconds !== undefined && (
        <p>The service asks to wait {plural(problem.retryAfterSeconds, "second")} before the next try.</p>
      )}
      {problem.requestId && (
        <p className="muted">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry && <Button onClick={retry}>{refusedWith(problem, 401) ? "Sign in" : "Try again"}</Button>}
    </section>
  );
}
