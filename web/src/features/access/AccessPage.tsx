import { useQuery } from "@tanstack/react-query";
import { useKeptError } from "../../api/useKeptError";
import { PageHead } from "../../ui/PageHead";
import { accountsQuery } from "../account/queries";
import { People } from "./People";
import { peopleQuery, teamsQuery, tokensQuery } from "./queries";
import { Teams } from "./Teams";
import { Tokens } from "./Tokens";

/** Who may do what, and where. */
export function AccessPage() {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const people = useKeptError(useQuery(peopleQuery));
  const tokens = useKeptError(useQuery(tokensQuery));
  useQuery(teamsQuery);
  return (
    <>
      <title>Access · Edgeposture</title>
      <PageHead title="Access">Who may sign in, and what they may do on which accounts.</PageHead>
      <People accounts={accounts} />
      {/* Each after what is above it, whose length nobody knows before. */}
      {!people.isPending && <Tokens accounts={accounts} />}
      {!people.isPending && !tokens.isPending && <Teams />}
    </>
  );
}
