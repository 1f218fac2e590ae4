import type { ChangeResult } from "../../api/types";
import { visible } from "../../lib/visible";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import form from "../../ui/Form.module.css";
import { PlainTable } from "../../ui/PlainTable";
import { stateWord } from "./plan";

const CSV: CsvColumn<ChangeResult>[] = [
  ["result", ({ status }) => status],
  ["verified", ({ verified }) => String(verified)],
  ["resource", ({ resource }) => resource.name],
  ["object", ({ object }) => object ?? ""],
  ["check", ({ checkId }) => checkId],
  ["request", ({ operation }) => operation],
  ["reason", ({ reason }) => reason ?? ""],
  ["change", ({ changeId }) => changeId],
];

export function ResultTable({ results }: { results: readonly ChangeResult[] }) {
  return (
    <>
      <div className={form.actions}>
        <CsvButton name="results-of-changes" columns={CSV} rows={() => results} />
      </div>
      <PlainTable
        caption="Result of each change"
        columns={["Result", "Verified", "Resource", "Check", "Request", "Reason"]}
      >
        {results.map((result) => (
          <tr key={`${result.changeId} ${result.checkId} ${result.resource.id} ${result.reason}`}>
            <td data-label="Result">
              <strong>{stateWord(result.status)}</strong>
            </td>
            <td data-label="Verified">{result.verified ? "yes" : "no"}</td>
            <td data-label="Resource" className={table.text}>
              {visible(result.resource.name)} {result.object && <code>{visible(result.object)}</code>}
            </td>
            <td data-label="Check">{result.checkId}</td>
            <td data-label="Request" className={table.text}>
              <code>{visible(result.operation)}</code>
            </td>
            <td data-label="Reason" className={table.text}>
              {visible(result.reason ?? "")}
            </td>
          </tr>
        ))}
      </PlainTable>
    </>
  );
}
