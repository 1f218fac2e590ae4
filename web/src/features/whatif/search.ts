import type { Finding } from "../../api/types";
import { freeText } from "../../lib/url";

export interface WhatIfSearch {
  /** A call of Cloudflare's API. */
  method?: string | undefined;
  path?: string | undefined;
  /** What the call sends, as JSON. */
  body?: string | undefined;
  /** A finding whose settings, records or rules are to be edited: its check and its resource. */
  check?: string | undefined;
  resource?: string | undefined;
}

export const METHODS = ["PATCH", "PUT", "POST", "DELETE"] as const;

export function whatIfSearch(raw: Record<string, unknown>): WhatIfSearch {
  return {
    method: METHODS.find((method) => method === raw.method),
    path: freeText(raw.path, 2000),
    body: freeText(raw.body, 8000),
    check: freeText(raw.check, 40),
    resource: freeText(raw.resource, 500),
  };
}

/** The call that closes a finding, as far as its command holds all of it. */
export function callOf({ steps }: Finding): WhatIfSearch | undefined {
  const step = steps.find(({ where }) => where === "api");
  const [method, path] = step?.call?.split(" ") ?? [];
  const known = METHODS.find((one) => one === method);
  if (!known || !path || step?.code?.includes("jq ")) return undefined;
  const body = /--data '((?:[^']|'\\'')*)'/.exec(step?.code ?? "")?.[1]?.replaceAll("'\\''", "'");
  return { method: known, path, body };
}
