import { useQuery } from "@tanstack/react-query";
import { PageHead } from "../../ui/PageHead";
import { accountsQuery } from "../account/queries";
import { People } from "./People";
import { Teams } from "./Teams";
import { Tokens } from "./Tokens";

/** Who may do what, and where. */
export function AccessPage() {
  const { data: accounts = [] } = useQuery(accountsQuery);
  return (
    <>
      <title>Access · Edgeposture</title>
      <PageHead title="Access">Who may sign in, and what they may do on which accounts.</PageHead>
      <People accounts={accounts} />
      <Tokens accounts={accounts} />
      <Teams />
    </>
  );
}
