import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, bodyOf, keyRing } from "../../api/client";
import { accountOf, accountsQuery } from "../account/queries";
import { may, type Role } from "./may";

/** Who is signed in, and what they may do. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    const who = await bodyOf(api.GET("/api/session", { signal }));
    keyRing.is(who.actor);
    return who;
  },
  staleTime: 60_000,
});

/** Tells whether the reader may do what a role may: on "some" account, on "all" of them, or on one that an id names. */
export function useMay(): (role: Role, where: string) => boolean {
  const { data: who } = useQuery(sessionQuery);
  const { data: accounts } = useQuery(accountsQuery);
  return (role, where) =>
    may(who, role, where === "some" || where === "all" ? where : (accountOf(accounts, where) ?? "all"));
}
