import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Issue } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { useSearchState } from "../../lib/useSearchState";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { NextPageError, nearEnd } from "../../ui/NextPage";
import { QueryStatus } from "../../ui/QueryStatus";
import tools from "../../ui/Tools.module.css";
import { useColumns } from "../../ui/useColumns";
import { useAssessment } from "../assessment/context";
import { RunTitle } from "../assessment/RunTitle";
import { fileWords } from "../exports/formats";
import findings from "../findings/Findings.module.css";
import { ViewsTool } from "../views/ViewsTool";
import { issueFields } from "./fields";
import { IssueList } from "./IssueList";
import styles from "./Issues.module.css";
import { issueColumns } from "./issueColumns";
import { NoIssue } from "./NoIssue";
import { everyIssue, issuesPages } from "./queries";
import { isFiltered, issuesQuery, issuesSearch, NO_FILTER, SORT_WORDS, viewQuery } from "./search";

const route = getRouteApi("/a/$a/r/$r/issues");

/** What is wrong, one line for each problem with everything it hits, what to do first at the top. */
export function IssuesPage() {
  const assessment = useAssessment();
  const [search, set] = useSearchState(route.useSearch(), true);
  const query = issuesQuery(search);
  const pages = useInfiniteQuery(issuesPages(assessment.id, query));
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  const first = pages.data?.pages[0];
  const total = first?.total ?? 0;
  const accepted = first?.facets?.state.accepted ?? 0;
  const table = useColumns<Issue>({
    columns: issueColumns({ a: assessment.account.id, r: assessment.id }),
    rows,
    search,
    set,
  });
  const { account, completedAt } = assessment;
  return (
    <>
      <RunTitle of="Issues" />
      <ListTools
        of="issues"
        hint="Search by title or check"
        search={search}
        set={set}
        fields={issueFields(search, first?.facets, set)}
        onClear={() => set(NO_FILTER)}
        sorts={SORT_WORDS}
        table={table}
        csv={{
          name: fileWords(account.name || account.id, completedAt, "issues"),
          columns: CSV,
          rows: () => everyIssue(assessment.id, query),
        }}
      >
        <button
          type="button"
          className={tools.tool}
          aria-pressed={search.new === "7"}
          onClick={() => set({ new: search.new === "7" ? undefined : "7" })}
        >
          New since last week
        </button>
        <ViewsTool page="issues" query={viewQuery(search)} parse={issuesSearch} />
      </ListTools>
      {!pages.isFetchNextPageError && <QueryStatus query={pages} of="issues" rows={10} />}
      {first && (
        <p className={styles.count} role="status">
          {plural(total, "issue")}
          {search.state === undefined && accepted > 0 && (
            <>
              ; risk accepted for{" "}
              <button type="button" className={styles.link} onClick={() => set({ state: "all" })}>
                {plural(accepted, "more issue")}
              </button>
            </>
          )}
        </p>
      )}
      {first && total === 0 && isFiltered(search) && (
        <Empty title="No issue fits" action={<Button onClick={() => set(NO_FILTER)}>Show all issues</Button>} />
      )}
      {first && total === 0 && !isFiltered(search) && <NoIssue title="No issue" of={assessment.summary} />}
      {rows.length > 0 && (
        <div className={pages.isPlaceholderData ? findings.stale : undefined} aria-busy={pages.isPlaceholderData}>
          <IssueList table={table} total={total} onNearEnd={() => nearEnd(pages)} />
        </div>
      )}
      <NextPageError pages={pages} what={`Only the first ${integer(rows.length)} issues are shown.`} />
    </>
  );
}

const CSV: CsvColumn<Issue>[] = [
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
  ["owner", ({ owner }) => owner ?? ""],
  ["assignee", ({ assignee }) => assignee ?? ""],
  ["due", ({ due }) => due ?? ""],
  ["overdue", ({ overdue }) => (overdue ? "yes" : "no")],
  ["accepted", ({ exceptions }) => String(exceptions)],
  ["first_seen", ({ firstSeen }) => firstSeen],
];
