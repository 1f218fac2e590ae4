import { useQuery } from "@tanstack/react-query";
import type { Account } from "../../api/types";
import { visible } from "../../lib/visible";
import { Button } from "../../ui/Button";
import { addressOf } from "../account/queries";
import { checksQuery } from "../catalogue/queries";
import { type AcrossSearch, acrossQuery, boxOf, NO_ACROSS } from "./across";
import { Choice } from "./Choice";
import styles from "./Filters.module.css";
import { QueryBox } from "./QueryBox";
import { ResultToggles, SeverityToggles } from "./Toggles";

interface Props {
  search: AcrossSearch;
  accounts: readonly Account[];
  onChange: (part: AcrossSearch, replace?: boolean) => void;
}

const STATES: Record<string, string> = { resolved: "Resolved", all: "Open and resolved" };
const ACCEPTED: Record<string, string> = { shown: "With the accepted", only: "Accepted only" };

export function AcrossFilters({ search, accounts, onChange }: Props) {
  const checks = useQuery(checksQuery);
  const categories = [...new Set(checks.data?.map(({ category }) => category))].sort();
  const names = new Map(accounts.map((account) => [addressOf(account), account.name]));
  const box = boxOf(search as never);
  return (
    <search className={styles.filters} aria-label="Filter the findings">
      <ResultToggles search={box} onChange={(part) => onChange({ result: part.result })} />
      <SeverityToggles search={box} onChange={(part) => onChange({ severity: part.severity })} />
      <div className={styles.line}>
        <Choice
          name="Account"
          every="All accounts"
          value={search.account}
          options={[...names.keys()]}
          counts={undefined}
          word={(id) => visible(names.get(id) ?? id)}
          onChange={(account) => onChange({ account })}
        />
        <Choice
          name="Category"
          every="All categories"
          value={search.category}
          options={categories}
          counts={undefined}
          onChange={(category) => onChange({ category })}
        />
        <Choice
          name="State"
          every="Open"
          value={search.status}
          options={Object.keys(STATES)}
          counts={undefined}
          word={(status) => STATES[status] ?? status}
          onChange={(status) => onChange({ status: status as AcrossSearch["status"] })}
        />
        <Choice
          name="Accepted"
          every="Without the accepted"
          value={search.exception}
          options={Object.keys(ACCEPTED)}
          counts={undefined}
          word={(exception) => ACCEPTED[exception] ?? exception}
          onChange={(exception) => onChange({ exception: exception as AcrossSearch["exception"] })}
        />
      </div>
      <div className={styles.line}>
        <QueryBox
          value={box}
          vocabulary={{
            categories,
            zones: [],
            checks: checks.data?.map(({ id }) => id) ?? [],
            leavesOut: false,
            lacks: ["status", "remediable", "exception"],
          }}
          onChange={(filters) => onChange(boxOf(filters), true)}
        />
        {Object.keys(acrossQuery(search)).length > 0 && (
          <Button look="quiet" onClick={() => onChange(NO_ACROSS)}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}
