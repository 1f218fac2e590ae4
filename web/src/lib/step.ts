import type { Finding } from "../api/types";

export type Place = Finding["steps"][number]["where"];

/** Where a step is taken, for people. */
export function stepWord(where: Place): string {
  return { dashboard: "In the dashboard", api: "By API", terraform: "In Terraform" }[where];
}
