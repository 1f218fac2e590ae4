import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, bodyOf } from "../../api/client";
import type { PermissionReport } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { visible } from "../../lib/visible";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import form from "../../ui/Form.module.css";
import { Panel } from "../../ui/Panel";
import { PlainTable } from "../../ui/PlainTable";
import { QueryError } from "../../ui/QueryStatus";
import { Skeleton } from "../../ui/Skeleton";
import { When } from "../../ui/When";
import { TokenFormLink } from "./TokenForm";

const CSV: CsvColumn<PermissionReport["permissions"][number]>[] = [
  ["permission", ({ permission }) => permission],
  ["status", ({ status }) => status],
  ["group", ({ group }) => group],
  ["checks", ({ checkIds }) => checkIds.join(" ")],
];

interface Props {
  account: string;
  /** For a token that is new, whose permissions are what one wants to know. */
  atOnce?: boolean;
}

/** What the token may read. It costs requests to Cloudflare, so it is asked for by hand once the account is in use. */
export function Permissions({ account, atOnce = false }: Props) {
  const [wanted, setWanted] = useState(atOnce);
  const report = useQuery({
    queryKey: ["permissions", account],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/accounts/{id}/permissions", { params: { path: { id: account } }, signal })),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Panel
      title="Permissions of the token"
      aside={
        report.data && (
          <div className={form.actions}>
            <span className={form.hint}>
              asked <When at={report.data.checkedAt} />
            </span>
            <CsvButton name="permissions" columns={CSV} rows={() => report.data.permissions} />
          </div>
        )
      }
    >
      <p className={form.hint}>
        Sends about 60 read requests to Cloudflare; they count against the token's rate limit.
      </p>
      <div className={form.actions}>
        <Button onClick={() => (wanted ? void report.refetch() : setWanted(true))} disabled={report.isFetching}>
          {report.data ? "Check again" : "Check the permissions"}
        </Button>
      </div>
      {report.isFetching && <Skeleton label="Asking Cloudflare" rows={5} />}
      {!report.isFetching && <QueryError query={report} what="The permissions could not be checked." />}
      {report.data && <Report report={report.data} />}
    </Panel>
  );
}

function Report({ report }: { report: PermissionReport }) {
  const missing = report.permissions
    .filter(({ status }) => status === "missing")
    .sort((a, b) => b.checkIds.length - a.checkIds.length);
  const granted = report.permissions.filter(({ status }) => status === "granted").length;
  const untried = report.permissions.filter(({ status }) => status === "untried").length;
  return (
    <>
      {missing.length === 0 ? (
        <p>
          Nothing is missing: {plural(granted, "permission")} granted
          {untried > 0 && `, ${integer(untried)} could not be tried`}.
        </p>
      ) : (
        <Banner
          look="gap"
          title={`${plural(missing.length, "permission")} missing.`}
          actions={<TokenFormLink to={report.form}>Open Cloudflare's token form</TokenFormLink>}
        >
          {plural(granted, "permission")} granted{untried > 0 && `, ${integer(untried)} could not be tried`}.
          {report.form.byHand.length > 0 && ` To add by hand: ${report.form.byHand.join(", ")}.`}
          {report.form.undocumented.length > 0 &&
            ` Check that the form shows these, whose keys Cloudflare does not document: ${report.form.undocumented.join(", ")}.`}
        </Banner>
      )}
      {missing.length > 0 && (
        <PlainTable
          caption="Missing permissions"
          columns={["Permission", "Name in the API", "Checks that cannot judge without it"]}
        >
          {missing.map(({ permission, group, checkIds }) => (
            <tr key={permission}>
              <td data-label="Permission" className={table.text}>
                {visible(permission)}
              </td>
              <td data-label="Name in the API" className={table.text}>
                {visible(group)}
              </td>
              <td data-label="Checks" className={table.text}>
                <details>
                  <summary>{plural(checkIds.length, "check")}</summary>
                  {checkIds.join(", ")}
                </details>
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </>
  );
}
