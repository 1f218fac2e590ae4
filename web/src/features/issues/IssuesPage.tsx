import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useState } from "react";
import type { Issue } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { SearchBox } from "../../ui/SearchBox";
import { SeverityShape } from "../../ui/Shape";
import { Skeleton } from "../../ui/Skeleton";
import { useAssessment } from "../assessment/context";
import { save } from "../exports/download";
import { fileName } from "../exports/formats";
import { type Column, csvOf } from "../findings/exportFindings";
import styles from "./Issues.module.css";
import { IssueTable } from "./IssueTable";
import { countsBy, effortWord, listed } from "./list";
import { allIssues } from "./queries";
import { EFFORTS, type IssuesSearch, type Sort } from "./search";

const route = getRouteApi("/a/$a/r/$r/issues");

const SORT_WORDS: Record<Sort, string> = {
  rank: "What to do first",
  resources: "Most resources",
  paths: "Most attack paths",
  oldest: "Open the longest",
  newest: "Newest",
};

const AT_ONCE = 50;

/** What is wrong, one line for each problem with everything it hits, what to do first at the top. */
export function IssuesPage() {
  const assessment = useAssessment();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const issues = useQuery(allIssues(assessment.id));
  const [shown, setShown] = useState(AT_ONCE);
  const set = (part: IssuesSearch) => navigate({ search: { ...search, ...part }, replace: true });
  const all = issues.data ?? [];
  const rows = listed(all, search);
  const severities = countsBy(all, search, "severity");
  const categories = [...countsBy(all, search, "category")].sort(([x], [y]) => x.localeCompare(y));
  const efforts = countsBy(all, search, "effort");
  const accepted = countsBy(all, search, "state").get("accepted") ?? 0;
  const chosen = search.severity?.split(",") ?? [];
  const toggle = (severity: string) =>
    set({
      severity:
        (chosen.includes(severity) ? chosen.filter((one) => one !== severity) : [...chosen, severity]).join(",") ||
        undefined,
    });
  const download = () => {
    const { account, completedAt } = assessment;
    const name = fileName(account.name || account.id, completedAt, "issues", "csv");
    save(new Blob([csvOf(COLUMNS, rows)], { type: "text/csv;charset=utf-8" }), name);
  };
  return (
    <>
      <title>{`Issues · ${assessment.account.name} · Edgeposture`}</title>
      {issues.isPending && <Skeleton label="Loading the issues" rows={10} />}
      {issues.isError && (
        <ErrorPanel error={issues.error} what="The issues could not be loaded." onRetry={() => issues.refetch()} />
      )}
      {issues.data && all.length === 0 && (
        <Empty title="No issue">
          {assessment.status === "completed_with_gaps"
            ? "What could be judged passed; the rest was not assessed."
            : "Every check that was judged passed."}
        </Empty>
      )}
      {all.length > 0 && (
        <>
          <search className={filter.line}>
            <SearchBox
              label="Search in the issues"
              placeholder="Search by title, check or category"
              value={search.q}
              onChange={(q) => set({ q })}
            />
            <fieldset className={styles.chips}>
              <legend className="visually-hidden">Severity</legend>
              {SEVERITIES.map((severity) => (
                <button
                  key={severity}
                  type="button"
                  className={styles.chip}
                  aria-pressed={chosen.includes(severity)}
                  onClick={() => toggle(severity)}
                >
                  <SeverityShape severity={severity} />
                  {severityWord(severity)} <span>{integer(severities.get(severity) ?? 0)}</span>
                </button>
              ))}
            </fieldset>
            <select
              aria-label="Category"
              value={search.category ?? ""}
              onChange={({ target }) => set({ category: target.value || undefined })}
            >
              <option value="">All categories</option>
              {categories.map(([category, count]) => (
                <option key={category} value={category}>
                  {category} ({count})
                </option>
              ))}
            </select>
            <select
              aria-label="Effort"
              value={search.effort ?? ""}
              onChange={({ target }) => set({ effort: target.value || undefined })}
            >
              <option value="">Any effort</option>
              {EFFORTS.map((effort) => (
                <option key={effort} value={effort}>
                  {effortWord(effort)} ({efforts.get(effort) ?? 0})
                </option>
              ))}
            </select>
            <select
              aria-label="Order"
              value={search.sort ?? "rank"}
              onChange={({ target }) => navigate({ search: { ...search, sort: target.value as Sort }, replace: true })}
            >
              {Object.entries(SORT_WORDS).map(([sort, words]) => (
                <option key={sort} value={sort}>
                  {words}
                </option>
              ))}
            </select>
            <Button onClick={download}>
              <Download aria-hidden width={14} height={14} /> CSV
            </Button>
          </search>
          <p className={styles.count} role="status">
            {plural(rows.length, "issue")}
            {rows.length > 0 &&
              `, ${plural(
                rows.reduce((sum, { resources }) => sum + resources, 0),
                "finding",
              )}`}
            {search.state === undefined && accepted > 0 && (
              <>
                ; risk accepted for{" "}
                <button type="button" className={styles.link} onClick={() => set({ state: "all" })}>
                  {plural(accepted, "more issue")}
                </button>
              </>
            )}
          </p>
          {rows.length === 0 ? (
            <Empty
              title="No issue fits"
              action={<Button onClick={() => navigate({ search: {}, replace: true })}>Show all issues</Button>}
            />
          ) : (
            <IssueTable assessment={assessment} issues={rows.slice(0, shown)} />
          )}
          {rows.length > shown && (
            <div>
              <Button onClick={() => setShown(shown + AT_ONCE)}>
                Show {integer(Math.min(AT_ONCE, rows.length - shown))} more
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

const COLUMNS: Column<Issue>[] = [
  ["rank", ({ rank }) => String(rank)],
  ["severity", ({ severity }) => severity],
  ["check_id", ({ checkId }) => checkId],
  ["title", ({ title }) => title],
  ["reason", ({ reason }) => reason],
  ["category", ({ category }) => category],
  ["resources", ({ resources }) => String(resources)],
  ["zones", ({ zones }) => String(zones)],
  ["attack_paths", ({ paths }) => String(paths)],
  ["effort", ({ effort }) => effort],
  ["remediable", ({ remediable }) => String(remediable)],
  ["state", ({ state }) => state],
  ["accepted", ({ exceptions }) => String(exceptions)],
  ["first_seen", ({ firstSeen }) => firstSeen],
];
