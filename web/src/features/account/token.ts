import type { TokenInfo } from "../../api/types";
import { plural } from "../../lib/number";

interface TokenWords {
  status: string;
  expiry?: string;
  urgent: boolean;
  error?: string;
}

/** Check CFL-TOK-001 fails from this many days on. */
const WARN_DAYS = 14;

export function tokenWords({ kind, status, daysLeft, expiresOn, error }: TokenInfo): TokenWords {
  const owner = kind === "unknown" ? "" : ` (${kind} token)`;
  const words: TokenWords = { status: `${status === "" ? "unknown" : status}${owner}`, urgent: false };
  if (error) words.error = error;
  if (daysLeft !== undefined && daysLeft < 0) return { ...words, urgent: true, expiry: "expired" };
  if (daysLeft !== undefined) {
    return { ...words, urgent: daysLeft < WARN_DAYS, expiry: `expires in ${plural(daysLeft, "day")}` };
  }
  // A token that could not be verified may well expire: only a verified one is said not to.
  if (!error && !expiresOn && kind !== "unknown") return { ...words, expiry: "has no expiry" };
  return words;
}
