import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, bodyOf, keyRing } from "../../api/client";
import { accountOf, accountsQuery } from "../account/queries";
import { may, type Role } from "./may";

/**
 * Who is signed in, and what they may do. Another tab may have let somebody else in with the same cookie: that is asked
 * whenever this one is looked at again, and nothing that the one before had read stays.
 */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ client, signal }) => {
    const who = await bodyOf(api.GET("/api/session", { signal }));
    const before = keyRing.current().actor;
    keyRing.is(who.actor);
    if (before !== undefined && before !== who.actor)
      void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" });
    return who;
  },
  staleTime: 60_000,
  refetchOnWindowFocus: "always",
});

/** Tells whether the reader may do what a role may: on "some" account, on "all" of them, or on one that an id names. */
export function useMay(): (role: Role, where: string) => boolean {
  const { data: who } = useQuery(sessionQuery);
  const { data: accounts } = useQuery(accountsQuery);
  return (role, where) =>
    may(who, role, where === "some" || where === "all" ? where : (accountOf(accounts, where) ?? "all"));
}
