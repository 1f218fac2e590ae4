import { expect, it } from "vitest";
import type { Account } from "../../api/types";
import { accountOf } from "./queries";

const accounts = [
  { id: "a1", providerId: "p1", name: "p2" },
  { id: "a2", providerId: "p2", name: "shop" },
] as Account[];

it.each([
  ["a1", "a1"],
  ["p1", "a1"],
  ["shop", "a2"],
  // An id comes before a name.
  ["p2", "a2"],
  ["Shop", undefined],
])("%s", (address, id) => expect(accountOf(accounts, address)?.id).toBe(id));
