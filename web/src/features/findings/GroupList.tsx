import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { FindingGroup } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { SEVERITIES } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import table from "../../ui/DataTable.module.css";
import form from "../../ui/Form.module.css";
import { NextPageError } from "../../ui/NextPage";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityShape } from "../../ui/Shape";
import styles from "./Findings.module.css";
import { groupsPages } from "./queries";
import type { Grouping } from "./search";

interface Props {
  assessmentId: string;
  filter: Record<string, string>;
  by: Grouping;
  /** The group that is open. */
  open: string | undefined;
  onOpen: (value: string | undefined) => void;
  /** What stands under the open group. */
  children: ReactNode;
  /** What stands in place of no group. */
  nothing: ReactNode;
}

/** What is listed, by what findings have in common; one group at a time shows its rows. */
export function GroupList({ assessmentId, filter, by, open, onOpen, children, nothing }: Props) {
  const pages = useInfiniteQuery(groupsPages(assessmentId, filter, by));
  const groups = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const total = pages.data?.pages[0]?.total ?? 0;
  if (groups.length === 0) return pages.isSuccess ? nothing : <QueryStatus query={pages} of="groups" rows={10} />;
  return (
    <>
      <p className={form.hint}>{plural(total, "group")}, worst first</p>
      <ul className={form.form} aria-label={`Findings by ${by}`} aria-busy={pages.isPlaceholderData}>
        {groups.map((group) => (
          <li key={group.value} className={form.form}>
            <div className={form.actions}>
              <Button
                className={styles.group}
                aria-expanded={open === group.value}
                onClick={() => onOpen(open === group.value ? undefined : group.value)}
              >
                <span aria-hidden>{open === group.value ? "−" : "+"}</span> {nameOf(group, by)}
              </Button>
              <Counts group={group} />
            </div>
            {open === group.value && children}
          </li>
        ))}
      </ul>
      {open !== undefined && !groups.some(({ value }) => value === open) && (
        <>
          <p className={form.hint}>
            <code>{visible(open)}</code> is not among the groups above.
          </p>
          {children}
        </>
      )}
      <NextPageError pages={pages} what={`Only the first ${integer(groups.length)} groups are shown.`} />
      {pages.hasNextPage && !pages.isFetchNextPageError && (
        <Button onClick={() => pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
          Show more of {plural(total, "group")}
        </Button>
      )}
    </>
  );
}

function nameOf({ value, name, type }: FindingGroup, by: Grouping): string {
  if (by === "zone") return value === "(none)" ? "In no zone" : visible(name);
  if (by === "check") return `${value}: ${visible(name)}`;
  return `${visible(name)} (${(type ?? "").replaceAll("_", " ")})`;
}

function Counts({ group }: { group: FindingGroup }) {
  return (
    <>
      <span>{plural(group.findings, "finding")}</span>
      <span className={table.counts}>
        {SEVERITIES.filter((severity) => group.bySeverity[severity]).map((severity) => (
          <span key={severity} className={table.count}>
            <SeverityShape severity={severity} />
            {integer(group.bySeverity[severity] ?? 0)} {severity}
          </span>
        ))}
      </span>
    </>
  );
}
