import { type ErrorComponentProps, Link, useLocation } from "@tanstack/react-router";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";

/** The page itself broke, or a part of it could not be loaded, as after an upgrade of the service. */
export function PageFailed({ error }: ErrorComponentProps) {
  return <ErrorPanel error={error} what="This page could not be shown." onRetry={() => window.location.reload()} />;
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
