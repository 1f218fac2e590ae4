import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { CheckInfo } from "../../api/types";
import { useKeptError } from "../../api/useKeptError";
import { integer, plural } from "../../lib/number";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { useSearchState } from "../../lib/useSearchState";
import { Button } from "../../ui/Button";
import type { CsvColumn } from "../../ui/csv";
import { Empty } from "../../ui/Empty";
import { ListTools } from "../../ui/ListTools";
import { oneOf } from "../../ui/oneOf";
import { PageHead } from "../../ui/PageHead";
import { QueryStatus } from "../../ui/QueryStatus";
import { SeverityBadge } from "../../ui/SeverityBadge";
import { ShowMore } from "../../ui/ShowMore";
import { Tag } from "../../ui/Tag";
import styles from "./Catalogue.module.css";
import { Glossary } from "./Glossary";
import { checksQuery } from "./queries";
import { NO_FILTER, SORT_WORDS } from "./search";

const route = getRouteApi("/checks");

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

const SEVERITY_WORDS = Object.fromEntries(SEVERITIES.map((severity) => [severity, severityWord(severity)]));

const rankOf = ({ severity }: CheckInfo) => (SEVERITIES as readonly string[]).indexOf(severity);

const ORDERS: Record<string, (x: CheckInfo, y: CheckInfo) => number> = {
  severity: (x, y) => rankOf(x) - rankOf(y),
  title: (x, y) => x.title.localeCompare(y.title),
};

/** What the service looks for, and what its words mean. */
export function CataloguePage() {
  const checks = useKeptError(useQuery(checksQuery));
  return (
    <>
      <title>Checks · Edgeposture</title>
      <PageHead title="Checks">what this version looks for, why, and how each is closed</PageHead>
      <QueryStatus query={checks} of="checks" rows={12} />
      {checks.data && <Catalogue checks={checks.data} />}
      {!checks.isPending && <Glossary />}
    </>
  );
}

function Catalogue({ checks }: { checks: CheckInfo[] }) {
  const [search, set] = useSearchState(route.useSearch(), true);
  const words = search.q?.toLowerCase().split(/\s+/) ?? [];
  const categories = Object.fromEntries(
    [...new Set(checks.map(({ category }) => category))].sort().map((category) => [category, category]),
  );
  const matching = checks.filter(({ id, title, why, category, severity, aliases }) => {
    const text = `${id} ${title} ${why} ${aliases.join(" ")}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (search.category === undefined || category === search.category) &&
      (search.severity === undefined || severity === search.severity)
    );
  });
  const shown = search.sort === undefined ? matching : matching.sort(ORDERS[search.sort]);
  return (
    <>
      <ListTools
        of="checks"
        hint="Search by id, title or reason"
        search={search}
        set={set}
        fields={[
          oneOf("Category", categories, search.category, undefined, (category) => set({ category })),
          oneOf("Severity", SEVERITY_WORDS, search.severity, undefined, (severity) => set({ severity })),
        ]}
        onClear={() => set(NO_FILTER)}
        sorts={SORT_WORDS}
        csv={{ name: "checks", columns: CSV, rows: () => shown }}
        count={
          shown.length === checks.length
            ? plural(checks.length, "check")
            : `${integer(shown.length)} of ${plural(checks.length, "check")}`
        }
      />
      {shown.length === 0 ? (
        <Empty title="No check fits" action={<Button onClick={() => set(NO_FILTER)}>Show all checks</Button>} />
      ) : (
        <ShowMore of={shown} word={["check", "checks"]} step={40}>
          {(first) => (
            <ul className={styles.list}>
              {first.map((check) => (
                <li key={check.id}>
                  <Check check={check} />
                </li>
              ))}
            </ul>
          )}
        </ShowMore>
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
        {remedy && <Tag>the service can fix it</Tag>}
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
