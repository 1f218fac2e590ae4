import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Assessment } from "../../api/types";
import { ErrorPanel } from "../../ui/ErrorPanel";
import { Panel } from "../../ui/Panel";
import { Skeleton } from "../../ui/Skeleton";
import { NAMES } from "../compliance/controls";
import { complianceQuery } from "../compliance/queries";
import { Shares } from "../compliance/Shares";
import { FRAMEWORKS } from "../compliance/search";

/** Every framework at a glance. */
export function Compliance({ assessment }: { assessment: Assessment }) {
  const queries = useQueries({ queries: FRAMEWORKS.map((id) => complianceQuery(assessment.id, id)) });
  const reports = queries.flatMap(({ data }) => (data ? [data] : []));
  return (
    <Panel
      title="Compliance at a glance"
      aside={
        <Link to="/a/$a/r/$r/compliance" params={{ a: assessment.account.id, r: assessment.id }}>
          All controls
        </Link>
      }
    >
      {queries.some(({ isPending }) => isPending) && <Skeleton label="Loading the controls" tall rows={1} />}
      {queries.map(
        ({ isError, error, refetch }, i) =>
          isError && (
            <ErrorPanel
              key={FRAMEWORKS[i]}
              error={error}
              what={`The controls of ${NAMES[FRAMEWORKS[i] ?? "cis"]} could not be loaded.`}
              onRetry={refetch}
            />
          ),
      )}
      {queries.every(({ isPending }) => !isPending) && reports.length > 0 && <Shares reports={reports} />}
    </Panel>
  );
}
