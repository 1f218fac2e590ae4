import { useQuery } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import table from "../../ui/DataTable.module.css";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { SeverityBadge } from "../../ui/SeverityBadge";

const SHOWN = 8;

/** What a run that still reads has found, for an account that has no result yet. */
export function SoFar({ job }: { job: string }) {
  const found = useQuery({
    queryKey: ["job", job, "issues"],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/jobs/{id}/issues", { params: { path: { id: job } }, signal })),
    // To judge again costs the service something, so only the first issues are waited for closely.
    refetchInterval: ({ state }) => (state.data?.issues.length ? 20_000 : 5_000),
    // It helps to wait; the run says itself when it fails.
    retry: false,
  });
  if (!found.data || found.data.issues.length === 0) return null;
  const { issues, judged, zones } = found.data;
  return (
    <Panel title="Found so far" aside={<span className={form.hint}>{plural(issues.length, "issue")}</span>}>
      <p className={form.hint}>
        From what is read by now of {integer(judged)} of {plural(zones, "zone")}. What is listed stays; more may come.
      </p>
      <PlainTable caption="Issues found so far" columns={["Severity", "Issue", "Resources"]}>
        {issues.slice(0, SHOWN).map((issue) => (
          <tr key={issue.id}>
            <td data-label="Severity">
              <SeverityBadge severity={issue.severity} />
            </td>
            <td data-label="Issue" className={table.text}>
              {visible(issue.title)}
            </td>
            <td data-label="Resources">{integer(issue.resources)}</td>
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}
