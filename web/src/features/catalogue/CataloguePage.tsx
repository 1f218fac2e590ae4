import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { CheckInfo } from "../../api/types";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { Button } from "../../ui/Button";
import { CsvButton } from "../../ui/CsvButton";
import type { CsvColumn } from "../../ui/csv";
import table from "../../ui/DataTable.module.css";
import { Empty } from "../../ui/Empty";
import { ErrorPanel } from "../../ui/ErrorPanel";
import filter from "../../ui/Filter.module.css";
import { More } from "../../ui/More";
import { PageHead } from "../../ui/PageHead";
import { SearchBox } from "../../ui/SearchBox";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { Skeleton } from "../../ui/Skeleton";
import styles from "./Catalogue.module.css";
import { Glossary } from "./Glossary";
import { checksQuery } from "./queries";
import type { CatalogueSearch } from "./search";

const route = getRouteApi("/checks");

const AT_ONCE = 40;

const CSV: CsvColumn<CheckInfo>[] = [
  ["id", ({ id }) => id],
  ["title", ({ title }) => title],
  ["category", ({ category }) => category],
  ["severity", ({ severity }) => severity],
  ["resource", ({ resource }) => resource],
  ["why", ({ why }) => why],
  ["fix", ({ fix }) => fix],
  ["remediable", ({ remediable }) => String(remediable)],
  ["permissions", ({ permissions }) => permissions.join("; ")],
  ["references", ({ references }) => references.join(" ")],
];

/** What the service looks for, and what its words mean. */
export function CataloguePage() {
  const checks = useQuery(checksQuery);
  return (
    <>
      <title>Checks · Edgeposture</title>
      <PageHead title="Checks">what this version looks for, why, and how each is closed</PageHead>
      {checks.isPending && <Skeleton label="Loading the checks" rows={12} />}
      {checks.isError && (
        <ErrorPanel error={checks.error} what="The checks could not be loaded." onRetry={() => checks.refetch()} />
      )}
      {checks.data && <Catalogue checks={checks.data} />}
      <Glossary />
    </>
  );
}

function Catalogue({ checks }: { checks: CheckInfo[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [limit, setLimit] = useState(AT_ONCE);
  const set = (part: CatalogueSearch) =>
    navigate({ search: { ...search, ...part }, replace: true, resetScroll: false });
  const words = search.q?.toLowerCase().split(/\s+/) ?? [];
  const shown = checks.filter(({ id, title, why, category, severity, aliases }) => {
    const text = `${id} ${title} ${why} ${aliases.join(" ")}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (search.category === undefined || category === search.category) &&
      (search.severity === undefined || severity === search.severity)
    );
  });
  return (
    <>
      <search className={filter.line}>
        <SearchBox
          label="Search in the checks"
          placeholder="Search by id, title or reason"
          value={search.q}
          onChange={(q) => set({ q })}
        />
        <select
          aria-label="Category"
          value={search.category ?? ""}
          onChange={({ target }) => set({ category: target.value || undefined })}
        >
          <option value="">All categories</option>
          {[...new Set(checks.map(({ category }) => category))].sort().map((category) => (
            <option key={category} value={category}>
              {category}
            </option>
          ))}
        </select>
        <select
          aria-label="Severity"
          value={search.severity ?? ""}
          onChange={({ target }) => set({ severity: target.value || undefined })}
        >
          <option value="">Any severity</option>
          {SEVERITIES.map((severity) => (
            <option key={severity} value={severity}>
              {severityWord(severity)}
            </option>
          ))}
        </select>
        <CsvButton name="checks" columns={CSV} rows={() => shown} />
        <p role="status" className={filter.count}>
          {shown.length === checks.length
            ? plural(checks.length, "check")
            : `${integer(shown.length)} of ${plural(checks.length, "check")}`}
        </p>
      </search>
      {shown.length === 0 ? (
        <Empty
          title="No check fits"
          action={<Button onClick={() => navigate({ search: {}, replace: true })}>Show all checks</Button>}
        />
      ) : (
        <ul className={styles.list}>
          {shown.slice(0, limit).map((check) => (
            <li key={check.id}>
              <Check check={check} />
            </li>
          ))}
        </ul>
      )}
      {shown.length > limit && (
        <More onClick={() => setLimit(limit + AT_ONCE)} left={shown.length - limit}>
          Show more
        </More>
      )}
    </>
  );
}

function Check({ check }: { check: CheckInfo }) {
  const { id, title, severity, why, fix, permissions, plans, references, remedy } = check;
  return (
    <details>
      <summary className={styles.summary}>
        <SeverityBadge severity={severity} />
        <span className={styles.title}>{title}</span>
        <code>{id}</code>
        {remedy && <span className={table.tag}>the service can fix it</span>}
      </summary>
      <dl className={styles.facts}>
        <Fact name="Why" text={[why]} />
        <Fact name="Fix" text={[fix]} />
        <Fact name="Careful" text={remedy?.caution ? [remedy.caution] : []} />
        <Fact name="Plans" text={plans} />
        <Fact name="Reads with" text={permissions} />
        <Fact name="References" text={references} />
      </dl>
    </details>
  );
}

function Fact({ name, text }: { name: string; text: string[] }) {
  if (text.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {text.map((one) => (
          <div key={one}>{one}</div>
        ))}
      </dd>
    </>
  );
}
