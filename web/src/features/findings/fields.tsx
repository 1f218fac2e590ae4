import type { Account, Facets } from "../../api/types";
import { LISTED, RESULTS, type Result, resultWord } from "../../lib/result";
import { SEVERITIES, severityWord } from "../../lib/severity";
import { chosenParam } from "../../lib/url";
import type { FilterField, FilterOption } from "../../ui/FilterChips";
import { oneOf, optionsOf } from "../../ui/oneOf";
import { SeverityShape } from "../../ui/Shape";
import { accountNames } from "../account/queries";
import { type AcrossSearch, boxOf } from "./across";
import { type Filters, listOf, resultParam, resultsOf, STATUSES, severitiesOf } from "./search";

const REMEDIABLE: Record<string, string> = { yes: "The service can fix it", no: "Fixed by hand" };
const EXCEPTION: Record<string, string> = { only: "Accepted in the run", hidden: "Not accepted in the run" };
const STATES: Record<string, string> = { open: "Open", reopened: "Reopened", resolved: "Resolved" };

type Change<T> = (part: T) => void;
type Counts = FilterField["counts"];

/** A field of words, some of them after a minus, which leaves them out. */
export function listField(
  name: string,
  options: readonly FilterOption[],
  value: string | undefined,
  counts: Counts,
  onChange: (value: string | undefined) => void,
): FilterField {
  const words = new Map(options.map((option) => [option.value, option.name]));
  const word = (one: string) => words.get(one) ?? one;
  return {
    name,
    options,
    counts,
    many: true,
    chosen: listOf(value),
    says: listOf(value).map((one) => (one.startsWith("-") ? `not ${word(one.slice(1))}` : word(one))),
    onChoose: (next) => onChange(next.join(",") || undefined),
    onClear: () => onChange(undefined),
  };
}

/** What every list of findings is filtered by first. */
function commonFields(search: Filters, counts: Facets | undefined, onChange: Change<Filters>): FilterField[] {
  const results = resultsOf(search);
  return [
    {
      name: "Severity",
      options: severityOptions(),
      counts: counts?.severity,
      many: true,
      chosen: severitiesOf(search),
      says: severitiesOf(search).map(severityWord),
      onChoose: (next) => onChange({ severity: chosenParam(next, SEVERITIES) }),
      onClear: () => onChange({ severity: undefined }),
    },
    {
      name: "Result",
      options: RESULTS.map((value) => ({ value, name: resultWord(value) })),
      counts: counts?.result,
      many: true,
      chosen: results,
      says: search.result === undefined ? [] : search.result === "all" ? ["All"] : results.map(resultWord),
      onChoose: (next) => onChange({ result: resultParam(next.length === 0 ? LISTED : (next as Result[])) }),
      onClear: () => onChange({ result: undefined }),
    },
  ];
}

export const severityOptions = (): FilterOption[] =>
  SEVERITIES.map((value) => ({ value, name: severityWord(value), icon: <SeverityShape severity={value} /> }));

interface Known {
  categories: readonly string[];
  zones: readonly string[];
  checks: readonly string[];
}

const plain = (values: readonly string[]): FilterOption[] => values.map((value) => ({ value, name: value }));

/** What the findings of a run are filtered by. */
export function runFields(
  search: Filters,
  { categories, zones, checks }: Known,
  facets: Facets | undefined,
  onChange: Change<Filters>,
): FilterField[] {
  const none = facets?.zone["(none)"] ? [{ value: "(none)", name: "In no zone" }] : [];
  return [
    ...commonFields(search, facets, onChange),
    listField(
      "Category",
      plain(categories.length > 0 ? categories : Object.keys(facets?.category ?? {}).sort()),
      search.category,
      facets?.category,
      (category) => onChange({ category }),
    ),
    listField("Zone", [...plain(zones), ...none], search.zone, facets?.zone, (zone) => onChange({ zone })),
    listField("Check", plain(checks), search.check, facets?.check, (check) => onChange({ check })),
    listField("Resource", [], search.resource, undefined, (resource) => onChange({ resource })),
    {
      ...listField("State", optionsOf(STATES), search.status, facets?.status, () => {}),
      onChoose: (next) =>
        onChange({
          status: chosenParam(
            STATUSES.filter((status) => next.includes(status)),
            STATUSES,
          ),
        }),
      onClear: () => onChange({ status: undefined }),
    },
    oneOf("Remedy", REMEDIABLE, search.remediable, facets?.remediable, (remediable) => onChange({ remediable })),
    oneOf("Accepted", EXCEPTION, search.exception, facets?.exception, (exception) => onChange({ exception })),
  ];
}

const STANDS: Record<string, string> = { resolved: "Resolved", all: "Open and resolved" };
const SHOWN: Record<string, string> = { shown: "With the accepted", only: "Accepted only" };

/** What findings over all accounts are filtered by. */
export function acrossFields(
  search: AcrossSearch,
  accounts: readonly Account[],
  categories: readonly string[],
  onChange: Change<AcrossSearch>,
): FilterField[] {
  return [
    ...commonFields(boxOf(search as never), undefined, (part) => onChange(part as AcrossSearch)),
    listField("Account", optionsOf(accountNames(accounts)), search.account, undefined, (account) =>
      onChange({ account }),
    ),
    listField("Category", plain(categories), search.category, undefined, (category) => onChange({ category })),
    listField("Zone", [], search.zone, undefined, (zone) => onChange({ zone })),
    listField("Check", [], search.check, undefined, (check) => onChange({ check })),
    listField("Resource", [], search.resource, undefined, (resource) => onChange({ resource })),
    oneOf("State", STANDS, search.status, undefined, (status) => onChange({ status })),
    oneOf("Accepted", SHOWN, search.exception, undefined, (exception) => onChange({ exception })),
  ];
}
