import { freeText } from "../../lib/url";

export interface ExplainSearch {
  url?: string | undefined;
  /** A second address, beside the first. */
  other?: string | undefined;
  method?: string | undefined;
  source?: string | undefined;
  country?: string | undefined;
  agent?: string | undefined;
  /** One request header, as "Name: value". */
  header?: string | undefined;
}

const LONGEST_ADDRESS = 4000;

export function explainSearch(raw: Record<string, unknown>): ExplainSearch {
  return {
    url: freeText(raw.url, LONGEST_ADDRESS),
    other: freeText(raw.other, LONGEST_ADDRESS),
    method: freeText(raw.method, 20),
    source: freeText(raw.source, 60),
    country: freeText(raw.country, 2),
    agent: freeText(raw.agent, 1000),
    header: freeText(raw.header, 1000),
  };
}
