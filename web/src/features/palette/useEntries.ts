import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Account } from "../../api/types";
import { resultWord } from "../../lib/result";
import { severityWord } from "../../lib/severity";
import { visible } from "../../lib/visible";
import { accountOf, accountsQuery, addressOf } from "../account/queries";
import { assessmentQuery, newestAssessments } from "../assessment/queries";
import { checksQuery } from "../catalogue/queries";
import { useMay } from "../session/queries";
import { type MenuPage, useMenu } from "../shell/menu";
import { usePlace } from "../shell/usePlace";
import type { Entry } from "./entries";
import { foundQuery } from "./queries";

interface Sources {
  entries: Entry[];
  /** Something is still asked for. */
  loading: boolean;
  /** What could not be asked; the other entries work all the same. */
  errors: unknown[];
}

/** Everything the palette can go to. The text is asked of the service; the rest is matched here. */
export function useEntries(text: string, onAssess: (account: Account) => void, onHelp: () => void): Sources {
  const navigate = useNavigate();
  const may = useMay();
  const { a: here } = useParams({ strict: false });
  const { a, r, framework } = usePlace();
  const [ofAccounts, ofAccount, settings] = [useMenu("accounts"), useMenu("account"), useMenu("settings")];
  const ofReader = useMenu("reader");
  const accounts = useQuery(accountsQuery);
  const latest = useQuery({ ...newestAssessments(a ?? ""), enabled: a !== undefined && r === "latest" });
  const named = useQuery({ ...assessmentQuery(r), enabled: r !== "latest" });
  const assessment = r === "latest" ? latest.data?.[0] : named.data;
  const checks = useQuery(checksQuery);
  const found = useQuery(foundQuery(assessment?.id, text));

  const account = a === undefined ? undefined : (accountOf(accounts.data, a)?.name ?? a);
  const entries: Entry[] = [];
  const add = (group: Entry["group"], id: string, name: string, run: () => void, rest: Partial<Entry> = {}) =>
    entries.push({ group, id: `${group} ${id}`, name: visible(name), run, ...rest });

  const page =
    (params: object, hint?: string) =>
    ({ to, name }: MenuPage) =>
      add("Pages", to, name, () => navigate({ to, params }), { hint });
  const ofThis = [...ofAccount, ...settings.filter(({ to }) => to.startsWith("/a/"))];
  if (a !== undefined) ofThis.forEach(page({ a, r, framework }, account));
  [...ofReader, ...ofAccounts, ...settings.filter(({ to }) => !to.startsWith("/a/"))].forEach(page({}));
  if (may("operator", "all")) add("Pages", "/accounts/new", "Add an account", () => navigate({ to: "/accounts/new" }));

  for (const one of accounts.data ?? []) {
    add("Accounts", one.id, one.name, () => navigate({ to: "/a/$a", params: { a: addressOf(one) } }));
    if (may("operator", one.id)) add("Actions", one.id, `Assess ${one.name} now`, () => onAssess(one));
  }
  add("Actions", "shortcuts", "Keyboard shortcuts", onHelp);

  if (a !== undefined) {
    const toFindings = (search: object) => () =>
      navigate({ to: "/a/$a/r/$r/findings", params: { a, r }, search: { ...search } });
    for (const { id, name } of assessment?.zones ?? []) add("Zones", id, name, toFindings({ zone: name }));
    for (const { id, title } of checks.data ?? []) {
      add("Checks", id, id, toFindings({ q: id, result: "all" }), { hint: title });
    }
    for (const { id, message, severity, result } of found.data ?? []) {
      const hint = `${severityWord(severity)}, ${resultWord(result)}`;
      add("Findings", id, message, toFindings({ finding: id }), { hint, found: true });
    }
  }
  // What is listed so far is of the default account alone.
  if (here === undefined && (accounts.data?.length ?? 0) > 1 && text !== "") {
    const search = () => navigate({ to: "/findings", search: { q: text } });
    add("Findings", "all", `Findings of all accounts with ${text}`, search, { found: true });
  }
  const all = [accounts, latest, named, checks, found];
  return {
    entries,
    loading: all.some(({ isLoading }) => isLoading),
    errors: all.flatMap(({ isError, error }) => (isError ? [error] : [])),
  };
}
