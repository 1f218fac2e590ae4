import { freeText, given, pickWords } from "../../lib/url";
import { type Filters, filters, type Look, look, SORT_WORDS } from "./search";

/** Findings over all accounts as they stand in the URL. The service lists what is open and not accepted by default. */
export interface AcrossSearch extends Omit<Filters, "status" | "remediable" | "exception">, Look {
  account?: string | undefined;
  status?: "resolved" | "all" | undefined;
  exception?: "shown" | "only" | undefined;
}

export const NO_ACROSS: AcrossSearch = {
  result: undefined,
  severity: undefined,
  category: undefined,
  zone: undefined,
  check: undefined,
  resource: undefined,
  q: undefined,
  account: undefined,
  status: undefined,
  exception: undefined,
};

export const ACROSS_SORTS = { ...SORT_WORDS, account: "Account" };

const NAMES = Object.keys(NO_ACROSS) as (keyof AcrossSearch)[];

export function acrossSearch(raw: Record<string, unknown>): AcrossSearch {
  const { status: _, remediable: __, exception: ___, ...rest } = filters(raw);
  return {
    ...rest,
    ...look(raw, Object.keys(ACROSS_SORTS)),
    account: freeText(raw.account, 200),
    status: pickWords(raw.status, ["resolved", "all"] as const)[0],
    exception: pickWords(raw.exception, ["shown", "only"] as const)[0],
  };
}

export function acrossQuery(search: AcrossSearch): Record<string, string> {
  return given(search, NAMES);
}

/** What of an address a saved view keeps. */
export function acrossView(search: AcrossSearch): string {
  return new URLSearchParams(given(search, [...NAMES, "sort", "columns"])).toString();
}

/** What a query box of this list takes and gives. */
export function boxOf({ result, severity, category, zone, check, resource, q }: Filters): AcrossSearch & Filters {
  return { result, severity, category, zone, check, resource, q } as AcrossSearch & Filters;
}
