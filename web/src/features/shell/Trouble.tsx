import { type ErrorComponentProps, Link, useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiProblem } from "../../api/errors";
import { servesPages } from "../../api/pageCode";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";

/** The page itself broke, or a part of it could not be loaded, as after an upgrade of the service. */
export function PageFailed({ error }: ErrorComponentProps) {
  const [silent, setSilent] = useState(false);
  const again = () =>
    void servesPages().then((serves) => {
      if (serves) window.location.reload();
      else setSilent(true);
    });
  // What only waits for the service comes back by itself.
  const waits = error instanceof ApiProblem && error.status === 0;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(again, 5_000);
    return () => clearInterval(timer);
  });
  return (
    <>
      <ErrorPanel error={error} what="This page could not be shown." onRetry={again} />
      <p role="status">{silent && "The service does not answer yet. This page comes back when it does."}</p>
    </>
  );
}

export function NoSuchPage() {
  const { pathname } = useLocation();
  return (
    <>
      <title>Not found · Edgeposture</title>
      <h1>No such page</h1>
      <Empty title="There is nothing at this address" action={<Link to="/">Overview</Link>}>
        The dashboard has no page <code>{pathname}</code>.
      </Empty>
    </>
  );
}
