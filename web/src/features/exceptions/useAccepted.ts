import { useQuery } from "@tanstack/react-query";
import type { Exception, Finding } from "../../api/types";
import { LISTED } from "../../lib/result";
import { accountsQuery } from "../account/queries";
import { isAbout } from "./match";
import { exceptionsQuery } from "./queries";

interface Accepted {
  /** The exceptions that are active now and about a finding; undefined while they are not known. */
  of: (finding: Finding, account: string) => Exception[] | undefined;
  error: unknown;
  retry: () => void;
}

/** What is accepted now, whatever a saved run says. */
export function useAccepted(): Accepted {
  const exceptions = useQuery(exceptionsQuery);
  const accounts = useQuery(accountsQuery);
  const active = exceptions.data?.filter(({ state }) => state === "active");
  const of = (finding: Finding, account: string) => {
    if (!(LISTED as readonly string[]).includes(finding.result)) return [];
    // An exception may name the account as it was registered, before any run.
    const names = (accounts.data ?? []).filter(({ providerId }) => providerId === account).map(({ id }) => id);
    return active?.filter((exception) => isAbout(exception, finding, [account, ...names]));
  };
  return { of, error: exceptions.error, retry: () => void exceptions.refetch() };
}
